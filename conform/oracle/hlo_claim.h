// SPDX-License-Identifier: Apache-2.0
// Reads an answer to hlo.index into a value that can be compared with the reference.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/protocol/protocol.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/provenance.h"

namespace tileproof::conform {

struct HloClaim {
  impl::Indexing indexing;
  // The first list that is "unknown". In `indexing` it relates all elements to all elements.
  std::optional<int64_t> unknown;
};

// Reads the result and `inexact`. `provenance` may be that of any values of the offsets. Errors:
//     kInvalidArgument  the answer is malformed, or has a wrong number of lists, results or
//                       variables
//     kUnimplemented    this judge cannot tell which values the runtime variables have
absl::StatusOr<HloClaim> read_hlo_claim(const HloQuestion& question,
                                        const spec::Provenance& provenance, const Answer& answer);

}  // namespace tileproof::conform

// What an answer to hlo.index claims, as a value that can be compared with the reference.
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
  std::optional<int64_t> unknown;  // the first list that is "unknown"; here it is everything
};

// Reads the result and what stands beside it. An error: how it is malformed, or cannot be an answer
// to the question (the numbers of lists, results and variables); kUnimplemented: it is not clear
// which values the runtime variables have. `provenance` is of any choice of values.
absl::StatusOr<HloClaim> read_hlo_claim(const HloQuestion& question,
                                        const spec::Provenance& provenance, const Answer& answer);

}  // namespace tileproof::conform

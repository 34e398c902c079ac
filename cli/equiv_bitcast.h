// SPDX-License-Identifier: Apache-2.0
// `tileproof equiv` with --reshape, --transpose or --bitcast: is the operation a bitcast?
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/text.h"
#include "verify/prove/layout/is_bitcast_proof.h"

namespace tileproof::cli {

struct BitcastOptions {
  bool reshape = false, bitcast = false;
  std::optional<std::string> transpose;  // "1,0"

  bool any() const { return reshape || bitcast || transpose; }
};

// `texts` are two layouts.
absl::StatusOr<Answer> prove_equiv_bitcast(const std::string (&texts)[2],
                                           const BitcastOptions& options,
                                           const verify::EqualOptions& limits);

}  // namespace tileproof::cli

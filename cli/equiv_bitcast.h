// SPDX-License-Identifier: Apache-2.0
// `tileproof equiv` with --reshape, --transpose or --bitcast: is the operation a bitcast?
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/arguments.h"
#include "cli/text.h"
#include "verify/prove/layout/is_bitcast_proof.h"

namespace tileproof::cli {

// `texts` are two layouts.
absl::StatusOr<Answer> prove_equiv_bitcast(const std::string (&texts)[2], const Command& given,
                                           const verify::EqualOptions& limits);

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
// `tileproof equiv` of two HLO modules: have they the same access maps from parameters to results?
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::cli {

// Returns the exit status.
int compare_modules(const std::string (&texts)[2], int64_t milliseconds,
                    const std::string& smtlib_directory, bool as_json);

}  // namespace tileproof::cli

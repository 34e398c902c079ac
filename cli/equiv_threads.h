// SPDX-License-Identifier: Apache-2.0
// tileproof equiv, for two layouts of threads.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/text.h"

namespace tileproof::cli {

// Compares the bases of the bits of a place, which are equal exactly if the layouts are; layouts without
// bases as maps, in so much time. An error if the shapes of the tensors differ.
absl::StatusOr<Answer> compare_threads(const std::string (&texts)[2], unsigned milliseconds);

}  // namespace tileproof::cli

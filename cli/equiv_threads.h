// SPDX-License-Identifier: Apache-2.0
// tileproof equiv, for two layouts of threads.
#pragma once

#include <string>

namespace tileproof::cli {

// Compares the bases of the bits of a place, which are equal exactly if the layouts are; layouts without
// bases as maps, in so much time. Returns the exit status; an error if the shapes of the tensors differ.
int compare_threads(const std::string (&texts)[2], bool as_json, unsigned milliseconds);

}  // namespace tileproof::cli

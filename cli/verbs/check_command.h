// SPDX-License-Identifier: Apache-2.0
// tileproof check --shards: do the slices that devices hold make the whole, each element once?
//
//     {"shape": [48, 8], "devices": [{"device": 0, "slice": [[0, 24], [0, 8]]},
//                                    {"device": 1, "slice": [[0, 24], [0, 8]]}]}
//
//     no: nobody holds [24:48, 0:8]; [0:24, 0:8] is on devices 0, 1
//
// A slice is [low, high) along each dimension, as `layout --sharding --json` prints it; null holds nothing.
// `"copies": N` beside the shape: each element is on N devices. A file may have a list of arrays, with names.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/text.h"

namespace tileproof::cli {

// One answer for each array. Errors: what is not such a file.
absl::StatusOr<std::vector<Answer>> check_shards(const std::string& text);

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
// Layouts of threads as arguments: as the map from a place to an index, and as bases over bits.
//
//     tensor<16x32xf16, #ttg.blocked<{..}>>
//         (register, lane, warp, block) -> (..), domain: register in [0, 3], lane in [0, 31], ..
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/text.h"
#include "impl/layout/thread_map.h"
#include "spec/lang/layout/thread_layout.h"

namespace tileproof::cli {

struct Threads : impl::ThreadMap {
  ThreadLayout layout;
};

absl::StatusOr<Threads> parse_threads(absl::string_view text);

// "register 1, lane 3, warp 0, block 0", and the same as JSON.
std::string place_text(const Place& place);
Json place_json(const Place& place);

// "LEFT has 4 registers, RIGHT has 8", for the first coordinate in which the numbers differ; else "".
std::string other_sizes(const Place& left, const Place& right);

}  // namespace tileproof::cli

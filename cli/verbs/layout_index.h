// SPDX-License-Identifier: Apache-2.0
// An element of a layout of any system, by its index or its offset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/text.h"
#include "impl/layout/thread_map.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/layout/layout_function.h"

namespace tileproof::cli {

// A logical index: `2,3`, `[2,3]`, or for nested layouts `((1,0),2)`.
absl::StatusOr<std::vector<int64_t>> layout_index(const spec::LayoutFunction& function,
                                                  const std::string& text);

// The index of the element at an offset, or nothing in padding. An error outside of the buffer.
absl::StatusOr<std::optional<std::vector<int64_t>>> element_at(const spec::LayoutFunction& function,
                                                               int64_t offset);

// The map from an offset to the index of the element there. Of a layout whose digits are nested it
// has no range variables.
absl::StatusOr<IndexingMap> inverse_of(const spec::LayoutFunction& function);

// The error of an offset outside of a buffer of so many slots.
absl::Status expect_slot(int64_t offset, int64_t slots);

// ---- Layouts of threads as arguments: threads.cc ----
//
// As the map from a place to an index, and as bases over bits.
//
//     tensor<16x32xf16, #ttg.blocked<{..}>>
//         (register, lane, warp, block) -> (..), domain: register in [0, 3], lane in [0, 31], ..

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

// SPDX-License-Identifier: Apache-2.0
// Layouts of threads, compiled to closed forms.
//
// The parts of an encoding count bits: a list of sizes is the next bits of a coordinate, each of which
// adds twice what the one before it adds along its dimension. Bits that leave the tensor add nothing;
// more registers reach its end. Layouts whose sizes are no powers of two are digits
// (impl/layout/thread_digits.h).
//
// spec/layout/thread_layout.h is the definition.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/layout/thread_digits.h"
#include "impl/layout/thread_form.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// A layout of any kind: the map (register, lane, warp, block) -> index, and bases or digits.
struct ThreadMap {
  IndexingMap map;
  Place sizes = {1, 1, 1, 1};
  std::optional<ThreadForm> form;     // if it is linear over bits
  std::optional<PlaceDigits> digits;  // else
};

// Errors: a basis outside of the tensor; more than 62 bits of a place.
absl::StatusOr<ThreadMap> thread_map(const ThreadLayout& layout);

// The index that a place of the layout holds.
Dims held_at(const ThreadMap& threads, const Place& place);

// All places that hold the index, in order. Errors: more than `most`; digits: more than `most` places
// to look at.
absl::StatusOr<std::vector<Place>> holders_of(const ThreadMap& threads, const Dims& index,
                                              int64_t most);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Layouts of threads in closed form: linear maps over bits.
//
// Each bit of a place, (register, lane, warp, block), has a basis: what it adds to the index by
// exclusive or. An index is one number here, its dimensions beside each other, the last one lowest.
//
//     tensor<16x8xf16, #ttg.nvidia_mma<{versionMajor = 2, .., instrShape = [16, 8]}>>
//         register = [[0,1], [8,0]]    lane = [[0,2], [0,4], [1,0], [2,0], [4,0]]
//
// So two layouts are equal exactly if their bases are. Gaussian elimination over F2 finds the places
// that hold an index: one of them, and all sums of places that add nothing (the kernel).
//
// spec/layout/thread_layout.h is the definition. Source: "Linear Layouts" (arXiv 2505.23819).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct ThreadForm {
  Dims dims;                                   // powers of two
  std::array<std::vector<uint64_t>, 4> bases;  // of the bits of each coordinate, lowest first
};

// The word of an index.
uint64_t packed(const Dims& dims, const Dims& index);

// How many registers, lanes, warps and blocks there are.
Place place_sizes(const ThreadForm& form);

// The index that a place of the layout holds.
Dims held_at(const ThreadForm& form, const Place& place);

// The places that add nothing to an index, from which all others come by exclusive or. Empty if each
// place holds another index.
std::vector<Place> copies(const ThreadForm& form);

// All places that hold the index, in order; none if no place does. Errors: more than `most`.
absl::StatusOr<std::vector<Place>> holders_of(const ThreadForm& form, const Dims& index,
                                              int64_t most);

// An index that no place holds, if there is one.
std::optional<Dims> not_held(const ThreadForm& form);

// From which place of `from` a place of `to` takes what it holds, as a form whose index is that place: by
// exclusive or, with as many as possible of the block, the warp and the lane the same. `kept`: how many
// of these are, in this order. Nothing if no place of `from` holds some of it.
struct ThreadMoves {
  ThreadForm sources;
  int kept = 3;
};
std::optional<ThreadMoves> moves_between(const ThreadForm& from, const ThreadForm& to);

// (register, lane, warp, block) -> index.
IndexingMap map_of(const ThreadForm& form);

// "#ttg.linear<{register = [[0,1]], lane = [..], warp = [], block = []}>"
std::string to_linear_text(const ThreadForm& form);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// An offset as a sum of independent parts: that of the threads, and the rest. Private to
// impl/access/coalescing*.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The dimensions of a map that are th_x, th_y and th_z; -1 if it has none.
using ThreadDimensions = std::array<int64_t, 3>;

// Some variables of a map, and the terms and constraints that contain only these. The dimensions of
// the part's map are these variables, and its result is the sum of the terms.
struct Part {
  std::vector<int64_t> variables;
  IndexingMap map;
};

// One part of the rest.
struct OwnPart : Part {
  std::optional<int64_t> factor;  // if the part is factor * its only variable
};

struct Split {
  Part threads;               // and the variables connected to them
  std::vector<OwnPart> rest;  // independent of each other
};

// Variables that share a term or a constraint stay together. The map has one result and no
// variables but dimensions. Nothing if the result is not a sum of terms (impl/map/atom_sum.h).
std::optional<Split> split(const IndexingMap& map, const ThreadDimensions& threads);

// All variables in the part of the threads.
Split unsplit(const IndexingMap& map);

}  // namespace tileproof::impl

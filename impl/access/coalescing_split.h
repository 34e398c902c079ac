// An offset as a sum of independent parts: that of the threads, and the rest. Private to
// impl/access/coalescing*.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The dimensions of a map that are th_x, th_y and th_z; -1 where there is none.
using ThreadDimensions = std::array<int64_t, 3>;

// Some variables of a map, and the terms and conditions that only they are in. The map's dimensions
// are these variables, its result is the sum of the terms.
struct Part {
  std::vector<int64_t> variables;
  IndexingMap map;
};

// A part of the rest.
struct OwnPart : Part {
  std::optional<int64_t> factor;  // of its only variable, where that is all there is in it
};

struct Split {
  Part threads;               // and what is tied to them
  std::vector<OwnPart> rest;  // each on its own
};

// Variables that share a term or a condition stay together. The map has one result and no variables
// but dimensions. Nothing where the result is no sum of terms (impl/map/atom_sum.h).
std::optional<Split> split(const IndexingMap& map, const ThreadDimensions& threads);

// Everything with the threads.
Split unsplit(const IndexingMap& map);

}  // namespace tileproof::impl

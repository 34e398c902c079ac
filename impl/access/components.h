// SPDX-License-Identifier: Apache-2.0
// The independent parts of a map: results and constraints that share no variables with others.
//
//     (d0, d1)[s0] -> (d0 * 2, d1 floordiv 8, d1 mod 8 + s0 * 8)
//
//     (d0) -> (d0 * 2)    and    (d0, d1) -> (d0 floordiv 8, d0 mod 8 + d1 * 8)
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct Component {
  std::vector<int64_t> variables;  // rising: those of the whole map that are its dimensions
  std::vector<int32_t> results;    // rising: those of the whole map that are its results
  IndexingMap map;
};

// The map has no variables but dimensions, of which those in `together` stay in one component. Each
// constraint has a variable. A component without results has the constraints on its variables; one
// without variables is a constant, and comes after the others.
std::vector<Component> components_of(const IndexingMap& map,
                                     absl::Span<const int64_t> together = {});

}  // namespace tileproof::impl

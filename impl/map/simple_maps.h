// SPDX-License-Identifier: Apache-2.0
// Simple maps: simplify recognizes them in one walk, and needs no normal forms for them.
//
// Most maps that a compiler makes are simple, and in normal form already:
//
//     (d0, d1)[s0] -> (s0, (d0 floordiv 8) * 4 + d1 - 192), domain: .., d1 + s0 in [0, 17]
//
// The walk accepts sums of variables, and of floors and mods of one variable. For these it is known
// which rules of the normal form apply: variables with one value are constants, sums have an order,
// constraints tighten bounds. No other rule does, and no other rendering is as cheap;
// simple_maps.cc has the reason for each condition. If a reason is missing, the map is not simple,
// and the general way decides.
#pragma once

#include <cstdint>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

enum class Simple : uint8_t {
  kNo,         // unknown: the general way decides
  kUnchanged,  // simplify returns the map as it is
  kChanged,    // simplify returns `out`
};

// Simplifies the map if it is simple. Each node must be a part of exactly one expression, because
// another node could be invalid.
Simple simplify_simple(const IndexingMap& map, IndexingMap& out);

}  // namespace tileproof::impl

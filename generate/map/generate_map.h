// SPDX-License-Identifier: Apache-2.0
// Generators of indexing maps.
//
// generate_map describes any valid map: negative bounds and divisors, loose and contradictory
// constraints, empty domains, no variables at all, shared nodes, given names. Its box (the points
// within the bounds) is small enough to enumerate, and every value in it fits int64, unless the
// limits ask for extremes.
//
// generate_chain describes the maps that compilers make: it starts from the index of a result and
// follows it backward through reshapes, transposes, tiled bitcasts, slices, pads, concatenates, ..
// to the index of an operand.
//
//     transpose of [4,6], then reshape to [24]:
//     (d0) -> (d0 mod 4, d0 floordiv 4), domain: d0 in [0, 23]
//
// generate_related describes maps to which the rules of simplifiers apply. It uses few expressions,
// again and again, and constants that divide each other. So its quotients and remainders belong
// together, are nested, and occur beside sums that are nearly multiples. Its constraints are
// similar.
//
//     (d0)[s0] -> ((s0 * 6 + d0) mod 12 + ((s0 * 6) floordiv 12) * 12), .., d0 mod 3 in [1, 1],
//     d0 mod 6 in [2, 5]
//
// generate_rule_shaped describes maps of many short results. Each is a digit, a difference of two
// digits of one expression, a digit of a digit, .., and its constants are related: equal, multiples,
// neighbours, coprime, negative. The ends of the domain are where a digit changes its value. Half of
// the maps have constraints of these forms. What simplifiers decide on is a list of decisions.
//
//     (d0) -> (-((-d0 + 1) floordiv 3) + 2, (d0 * 320 + 255) mod 256), domain: d0 in [0, 2]
//
// generate_digits describes maps of digits of single variables. The widths of the variables are near
// every power of two up to 2^62, equally often. The divisors are small, near a part of the width or
// near the width, and the ends of the bounds are at multiples of a divisor, or beside them.
//
//     (d0) -> (d0 floordiv 341, d0 mod 341), domain: d0 in [341, 1364]
//
// The caller provides the choices (generate/choose/choose.h); 0 is always the simplest.
#pragma once

#include <cstdint>
#include <vector>

#include "generate/choose/choose.h"
#include "generate/choose/limits.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

struct MapLimits {
  int64_t dimensions = limits::kMapDimensions.usual;  // likewise below: usually at most so many,
  int64_t ranges = limits::kMapRanges.usual;          // rarely as many as the table of limits has
  int64_t runtime = limits::kMapRuntime.usual;
  int64_t results = limits::kMapResults.usual;
  int64_t constraints = limits::kMapConstraints.usual;
  int64_t depth = limits::kMapDepth.usual;  // of an expression; a divisor or constraint may add one
  int64_t points = 4096;                    // within the bounds
  bool extremes = false;  // bounds, intervals and constants are any int64; ignores `points`
};

IndexingMap generate_map(Choose& choose, const MapLimits& limits = {});

struct ChainLimits {
  int64_t steps = limits::kChainSteps.usual;  // usually at most; rarely as many as the table has
  int64_t rank = limits::kChainRank.usual;    // of chosen shapes; operations may add dimensions
  int64_t points = 4096;                      // within the bounds
  int64_t nodes = 2000;                       // stop when the trees are larger
};

struct Chain {
  IndexingMap map;             // from an element of the result to the elements of the operand
  std::vector<int64_t> shape;  // of the operand; result i is in [0, shape[i]) on the domain
};

IndexingMap generate_related(Choose& choose);

// `decide`: of a case that is numbered among others (generate/choose/choose.h).
IndexingMap generate_rule_shaped(Choose& choose, Decisions decide);
IndexingMap generate_rule_shaped(Choose& choose);

// Adds to `map`.
IndexingMap generate_digits(Choose& choose, IndexingMap map = {});

// Gives most dimensions and range variables bounds whose width is near a power of two, all powers
// from 2^7 to 2^62 equally often. Expressions may then leave int64.
void widen(Choose& choose, IndexingMap& map);

Chain generate_chain(Choose& choose, const ChainLimits& limits = {});

}  // namespace tileproof

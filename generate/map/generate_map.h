// Generators of indexing maps.
//
// generate_map describes any valid map: negative bounds and divisors, loose and contradictory
// constraints, empty domains, no variables at all, shared nodes, given names. Its box (the points
// within the bounds) is small enough to be enumerated, and no value in it leaves int64, unless the
// limits ask for extremes.
//
// generate_chain describes what compilers make: the index of a result, followed backwards through
// reshapes, transposes, tiled bitcasts, slices, pads, concatenates, .. to the index of an operand.
//
//     transpose of [4,6], then reshape to [24]:
//     (d0) -> (d0 mod 4, d0 floordiv 4), domain: d0 in [0, 23]
//
// generate_related describes what the rules of simplifiers are about: few expressions, met again
// and again, and constants that divide each other, so that quotients and remainders belong
// together, are nested, and stand beside sums that are nearly multiples; and constraints of that
// kind.
//
//     ()[s0] -> ((s0 * 6 + d0) mod 12 + ((s0 * 6) floordiv 12) * 12), .., d0 mod 3 in [1, 1],
//     d0 mod 6 in [2, 5]
//
// The choices are the caller's (generate/choose/choose.h); 0 is always the simplest.
#pragma once

#include <cstdint>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

struct MapLimits {
  int64_t dimensions = 3;  // each at most
  int64_t ranges = 2;
  int64_t runtime = 2;
  int64_t results = 3;
  int64_t constraints = 3;
  int64_t depth = 4;      // of an expression; a divisor or a constraint may add one
  int64_t points = 4096;  // within the bounds
  bool extremes = false;  // bounds, intervals and constants are any int64, `points` is not kept
};

IndexingMap generate_map(Choose& choose, const MapLimits& limits = {});

struct ChainLimits {
  int64_t steps = 4;      // operations, at most
  int64_t rank = 4;       // of the shapes that are chosen; operations may add a few dimensions
  int64_t points = 4096;  // within the bounds
  int64_t nodes = 2000;   // a chain whose trees are larger gets no further step
};

struct Chain {
  IndexingMap map;             // from an element of the result to the elements of the operand
  std::vector<int64_t> shape;  // of the operand: at every point of the domain, result i is in
                               // [0, shape[i])
};

IndexingMap generate_related(Choose& choose);

Chain generate_chain(Choose& choose, const ChainLimits& limits = {});

}  // namespace tileproof

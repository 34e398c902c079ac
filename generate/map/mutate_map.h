// SPDX-License-Identifier: Apache-2.0
// A small change to an indexing map. A fuzzer mutates maps this way, instead of flipping bits, and
// tests make two maps that are nearly the same.
#pragma once

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// Makes one change to a valid map: to a constant, a variable or an operation of an expression, a
// bound or an interval; or adds, drops or swaps a result, a constraint or a variable. The result is
// valid and almost always another map. Expressions stay below some thousand nodes.
void mutate_map(Choose& choose, IndexingMap& map);

// Does the same, but keeps the number of results and of variables of each kind.
void mutate_meaning(Choose& choose, IndexingMap& map);

// Returns a map like those of compilers, one that a rule applies to, an arbitrary one, or one with
// numbers near the limits of 64 bits.
IndexingMap any_map(Choose& choose);

// Returns whether the map is valid and its expressions have less than some thousand nodes, counting
// shared nodes each time.
bool acceptable(const IndexingMap& map);

// Rewrites a map into another map with the same meaning, by identities of the integers.
//
// For constants k, c, a, b > 0 and an expression y of the map, each subexpression x may become
//
//     x + k - k      x + y + y * -1      (x floordiv c) * c + x mod c      (x * c) floordiv c
//
// and an operation may become another one with the same value:
//
//     x + y             y + x
//     (x + y) * c       x * c + y * c
//     x floordiv (a*b)  (x floordiv a) floordiv b
//     x mod (a*b)       x mod a + (x floordiv a) mod b * a
//     x mod c           x + (x floordiv c) * -c           (x + c * k) mod c
//     x floordiv c      (x + c * k) floordiv c - k
//
// Values stay within a small factor of those of the map, so they still fit int64 unless those of
// the map nearly did not. spec/lang/map/expr.h defines floordiv and mod.

IndexingMap rewrite_by_identities(Choose& choose, const IndexingMap& map);

}  // namespace tileproof

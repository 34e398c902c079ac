// SPDX-License-Identifier: Apache-2.0
// Searches for points at which two maps differ, with the reference.
//
// Two maps differ at a point if only one domain contains it, or if both do and the results are
// different integers. A result outside of int64 is still an integer: two maps with equal results do
// not differ, even if evaluation reports both as errors. If a value leaves 127 bits, the answer is
// unknown.
//
//     (d0) -> (d0 mod 4), domain: d0 in [0, 7]     and     (d0) -> (d0), domain: d0 in [0, 7]
//     differ at d0 = 4, ..; they agree at d0 = 0, .., 3
//
// The maps must be valid and have the same numbers of variables.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {

// Whether the maps differ at one point. kUnknown: a value leaves 127 bits.
enum class AtPoint { kSame, kDiffer, kUnknown };

AtPoint compare_at(const IndexingMap& left, const IndexingMap& right, const spec::Point& point);

// A value for each variable: dimensions, ranges, runtime.
using Values = std::vector<int64_t>;
spec::Point point_of(const IndexingMap& map, const Values& values);
Values values_of(const spec::Point& point);

struct SearchResult {
  std::optional<Values> difference;  // the first found
  bool complete = false;             // every point of both boxes was compared
  int64_t points = 0;
};

// Compares every point of both boxes, if that takes at most `work` evaluations of a node.
SearchResult search_all(const IndexingMap& left, const IndexingMap& right, int64_t work);

// Compares corners of the boxes, points at the edges of floors and constraints, and random points.
// Moves many of them into one of the domains. At most `points` points and `work` evaluations of a
// node.
SearchResult search_some(const IndexingMap& left, const IndexingMap& right, int64_t points,
                         int64_t work, Choose& choose);

// All points if `work` allows that, else some.
SearchResult search(const IndexingMap& left, const IndexingMap& right, int64_t points, int64_t work,
                    Choose& choose);

// The points that search_some compares.
std::vector<Values> sample(const IndexingMap& left, const IndexingMap& right, int64_t points,
                           Choose& choose);

// The place of a variable among all: dimensions, ranges, runtime.
size_t place_of(const IndexingMap& map, const Node& variable);

// The bounds of the variables: dimensions, ranges, runtime.
std::vector<Interval> bounds_of(const IndexingMap& map);

// The smallest box around the bounds of both maps; that of one map if the other has no points.
std::vector<Interval> box_around(const IndexingMap& left, const IndexingMap& right);

// The bounds of the variables, narrowed by the constraints on single variables. May be empty.
std::vector<Interval> box_of(const IndexingMap& map);

// No interval of the box is empty.
bool has_points(const std::vector<Interval>& box);

// Makes a point where two maps differ smaller, so that a person can evaluate it by hand.
//
// Moves one variable after the other towards its goal: 0, or the bound nearest to 0. The values
// that it tries for a variable at distance 700 + 1024 * k from the goal:
//
//     powers        0, 1, 2, 4, ..        the smallest that differs
//     residues      (700 + 1024 * k) mod m, for each constant m of the maps and each power of two:
//                   here 700, for m = 1024
//     bisection     between the largest distance known to agree and the smallest known to differ
//
// The result is small, but not always the smallest: the maps may agree at most smaller points.

// Enough for the maps of people, and little beside a proof.
constexpr int64_t kWorkOfShrinking = 1'000'000;

// Returns a difference that is not larger than `values`, where the maps must differ. Prefers points
// at which the reference has an answer for both maps. Takes at most about `work` evaluations of a
// node.
Values smaller_difference(const IndexingMap& left, const IndexingMap& right, Values values,
                          int64_t work);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Facts of a map, by looking at each of its points.
//
//     inside        every point gives results within a box
//     one-to-one    no two points of the same runtime values give the same results
//     onto          every element of a box from 0 on is given by some point
//     width         no value that the results are computed from leaves the integers of some bits
//
// A point is a value for every variable: dimensions, ranges, runtime. Points are visited in order,
// the last variable fastest, so the first that refutes a fact is the smallest.
//
//     (pid) -> ((pid floordiv 32) * 8 + pid mod 8, (pid mod 32) floordiv 8), domain: pid in [0, 35]
//         inside [0, 8], [0, 3]      no: pid = 33 gives (9, 0); 3 of 36 points do
//         one-to-one                 yes
//         onto 9 x 4                 no: (8, 1) is never given; 3 of 36 elements are not
//
// The values that a result is computed from are those of its expression and of all parts of it.
// `a - b * 3` is read as written: its parts are a, b, 3, b * 3, and not -3 or b * -3, which are what
// the table of the map holds. Those of `a xor b`, `min(a, b)` and `a << 3` are a, b and the parts of
// them, and not the sums that write the operation. Constraints say which points there are; nobody computes them.
//
// This is the reference. It is slow on purpose.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/base/exact_int.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::spec {

struct MapFact {
  int64_t of = 0;                // points; of `onto`, elements
  int64_t against = 0;           // the points that leave the box or the width, that meet an
                                 // earlier one, or the elements that are never given
  std::vector<Point> at;         // the first of them; of one-to-one, the earlier point, too
  std::vector<int64_t> results;  // what it gives; of `onto`, the first element never given
  NodeId part = -1;              // of width: the first part that leaves it, in parts_of(map)
  Exact value;                   // and its value there

  bool holds() const { return against == 0; }
};

struct IntegerWidth {
  int64_t bits = 32;
  bool is_unsigned = false;
};

// The integers of a width: [-2147483648, 2147483647]. Errors: less than 1 bit; more than 64, or more
// than 63 unsigned ones.
absl::StatusOr<Interval> integers_of(const IntegerWidth& width);

// The map, and the parts of its results, operands first. The map has more nodes than the given one,
// for the products that are subtracted.
struct Parts {
  IndexingMap map;
  std::vector<NodeId> parts;
};
Parts parts_of(const IndexingMap& map);

// Errors: another number of results; more than `budget` points or elements; a result that does not
// fit int64.
absl::StatusOr<MapFact> inside(const IndexingMap& map, const std::vector<Interval>& box,
                               int64_t budget);
absl::StatusOr<MapFact> one_to_one(const IndexingMap& map, int64_t budget);
absl::StatusOr<MapFact> onto(const IndexingMap& map, const std::vector<int64_t>& sizes,
                             int64_t budget);
absl::StatusOr<MapFact> within_width(const IndexingMap& map, const IntegerWidth& width,
                                     int64_t budget);

// How many results a box of this rank needs; an error if the map has another number.
absl::Status expect_results(const IndexingMap& map, int64_t rank);

}  // namespace tileproof::spec

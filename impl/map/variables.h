// Fewer variables, other variables.
//
// A range variable is existential: a map stands for the set of pairs (dimensions and runtime
// values, results) that some range values give. Each function below keeps that set; dropping a
// dimension or a runtime variable leaves the pairs of the others.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Which variables may go.
struct Removable {
  bool dimensions = false;
  bool ranges = true;
  bool runtime = false;
};

struct Removed {
  IndexingMap map;
  std::vector<bool> gone;  // of the variables before: dimensions, ranges, runtime
};

// Drops the removable variables that no result needs, where their constraints hang together with no
// other variable and are seen to hold at the first or the last point of their bounds. Best after
// simplify, which pulls bounds to points that satisfy a congruence.
//
//     (d0)[s0, s1] -> (d0 + s1), domain: .., s0 in [1, 67], s1 in [0, 9], s0 mod 3 in [1, 1]
//     (d0)[s0] -> (d0 + s0), domain: .., s0 in [0, 9]
absl::StatusOr<Removed> remove_unused_variables(const IndexingMap& map, Removable removable = {});

// For every range variable with a constraint `s mod c in [r, r]`, c > 0 and 0 <= r < c: s becomes
// c * s + r, its bounds those of the quotient, and the constraint goes.
//
//     ()[s0] -> (s0), domain: s0 in [1, 67], s0 mod 3 in [1, 1]
//     ()[s0] -> (s0 * 3 + 1), domain: s0 in [0, 22]
absl::StatusOr<IndexingMap> rescale_ranges(const IndexingMap& map);

// Range variables become the last dimensions.
absl::StatusOr<IndexingMap> ranges_to_dimensions(const IndexingMap& map);

}  // namespace tileproof::impl

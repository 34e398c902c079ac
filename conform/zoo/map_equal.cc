// SPDX-License-Identifier: Apache-2.0
// map.equal: right comparisons of other maps. A wrong `equal` counts, a wrong `not equal` does not.
#include <cstdint>

#include "conform/zoo/variants.h"

namespace tileproof::zoo {
namespace {

// Compares variables, bounds and results, whatever the constraints.
bool constraints_not_compared(IndexingMap& left, IndexingMap& right) {
  left.constraints.clear();
  right.constraints.clear();
  return true;
}

// The last result is not compared.
bool last_result_not_compared(IndexingMap& left, IndexingMap& right) {
  if (left.results.size() < 2 || left.results.size() != right.results.size()) return false;
  left.results.pop_back();
  right.results.pop_back();
  return true;
}

// Tries only the first 1,000 values of each variable.
bool first_values_compared(IndexingMap& left, IndexingMap& right) {
  bool any = false;
  for (IndexingMap* map : {&left, &right}) {
    for (Op kind : kVariableKinds) {
      for (Variable& variable : variables_of(*map, kind)) {
        Interval& bounds = variable.bounds;
        if (bounds.low > INT64_MAX - 1000 || bounds.high <= bounds.low + 999) continue;
        bounds.high = bounds.low + 999;
        any = true;
      }
    }
  }
  return any;
}

// Takes the bounds of the left map for those of both.
bool bounds_of_the_left(IndexingMap& left, IndexingMap& right) {
  if (left.dimensions.size() != right.dimensions.size()) return false;
  for (size_t i = 0; i < left.dimensions.size(); ++i) {
    right.dimensions[i].bounds = left.dimensions[i].bounds;
  }
  return true;
}

// Compares the only variable at its lower end alone.
bool lower_end_compared(IndexingMap& left, IndexingMap& right) {
  if (left.dimensions.size() != 1 || right.dimensions.size() != 1) return false;
  if (!left.ranges.empty() || !left.runtime.empty()) return false;
  const Interval bounds = left.dimensions[0].bounds;
  if (!(bounds == right.dimensions[0].bounds) || bounds.low >= bounds.high) return false;
  for (IndexingMap* map : {&left, &right}) map->dimensions[0].bounds = {bounds.low, bounds.low};
  return true;
}

const Variant kEqualVariants[] = {
    {"XLA-VAR-09", TwoMaps(constraints_not_compared)},
    {"LIKE-HAL-04", TwoMaps(first_values_compared)},
    {"LIKE-XLA-VAR-09", TwoMaps(bounds_of_the_left)},
    {"SECOND-EQUAL-CONSTRAINTS", TwoMaps(constraints_not_compared)},
    {"SECOND-EQUAL-ENDS", TwoMaps(lower_end_compared)},
    {"SECOND-EQUAL-LAST", TwoMaps(last_result_not_compared)},
};

}  // namespace

absl::Span<const Variant> equal_variants() { return kEqualVariants; }

}  // namespace tileproof::zoo

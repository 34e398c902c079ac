// SPDX-License-Identifier: Apache-2.0
// map.evaluate: arithmetic that no line of text states (rule.h), wrong domains, and a crash.
#include <cmath>
#include <csignal>
#include <cstdint>

#include "conform/oracle/map_ops.h"
#include "conform/zoo/variants.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::zoo {
namespace {

// Divides in double precision.
int64_t quotient_of_doubles(Op op, int64_t a, int64_t b) {
  if (op != Op::kFloorDiv) return exact(op, a, b);
  const double quotient = std::floor(static_cast<double>(a) / static_cast<double>(b));
  return std::abs(quotient) < 9e18 ? static_cast<int64_t>(quotient) : exact(op, a, b);
}

// Looks at the constraints and forgets the bounds of range variables.
bool range_bounds_not_checked(IndexingMap& map) {
  for (Variable& variable : map.ranges) variable.bounds = {INT64_MIN, INT64_MAX};
  return !map.ranges.empty();
}

// The upper end is excluded.
void half_open(Interval& interval) {
  if (interval.low < interval.high) --interval.high;
}

bool constraints_half_open(IndexingMap& map) {
  for (Constraint& constraint : map.constraints) half_open(constraint.interval);
  return !map.constraints.empty();
}

bool last_value_excluded(IndexingMap& map) {
  for (Variable& variable : map.ranges) half_open(variable.bounds);
  return !map.ranges.empty();
}

// Divides INT64_MIN by -1 in machine integers.
int least_by_minus_one(const conform::Json& request, const conform::Answer&) {
  const absl::StatusOr<IndexingMap> map = conform::map_under(request, "map");
  const absl::StatusOr<spec::Point> point = conform::point_in(request);
  if (!map.ok() || !point.ok()) return 0;
  for (NodeId id = 0; id < std::ssize(map->nodes); ++id) {
    const std::optional<Rewriting::By> quotient = by(*map, Op::kFloorDiv, id);
    if (!quotient || quotient->c != -1) continue;
    const Node& left = map->nodes[quotient->left];
    const bool dimension = left.op == Op::kDimension && left.value < std::ssize(point->dims);
    const int64_t value = dimension                  ? point->dims[left.value]
                          : left.op == Op::kConstant ? left.value
                                                     : 0;
    if (value == INT64_MIN) return SIGFPE;
  }
  return 0;
}

const Variant kEvaluateVariants[] = {
    {"MLIR-10", Crash(least_by_minus_one)},
    {"LIKE-CAT-12", Domain(constraints_half_open)},
    {"LIKE-XLA-VAR-06", Domain(range_bounds_not_checked)},
    {"SECOND-DOUBLES", Arithmetic(quotient_of_doubles)},
    {"SECOND-RANGE-END", Domain(last_value_excluded)},
};

}  // namespace

absl::Span<const Variant> evaluate_variants() { return kEvaluateVariants; }

}  // namespace tileproof::zoo

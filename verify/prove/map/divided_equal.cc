// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/divided_equal.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/prove/map/map_points.h"
#include "verify/prove/map/quotients.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMostCases = 1024;
constexpr int64_t kMillisecondsOfLog = 200;  // for a logged proof of what sums show
constexpr Interval kAnyInt64 = {std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max()};

// Both maps with quotients as further range variables. A bound that a map does not share with the
// other one becomes a constraint.
struct Replaced {
  IndexingMap left, right;
  bool are_same = false;  // as sums
  bool has_wide = false;  // a quotient may be outside of its bounds
};

IndexingMap in_box(IndexingMap map, const std::vector<Interval>& box) {
  size_t v = 0;
  for (const Op kind : kVariableKinds) {
    for (int64_t i = 0; i < std::ssize(variables_of(map, kind)); ++i, ++v) {
      Interval& bounds = variables_of(map, kind)[i].bounds;
      if (!(bounds == box[v])) {
        map.constraints.push_back({add_variable(map.nodes, kind, i), bounds});
        bounds = box[v];
      }
    }
  }
  return map;
}

std::optional<Replaced> with_quotients(const IndexingMap& given_left,
                                       const IndexingMap& given_right) {
  const std::vector<Interval> box = box_around(given_left, given_right);
  if (!has_points(box)) return std::nullopt;
  const IndexingMap left = in_box(given_left, box), right = in_box(given_right, box);
  Quotients quotients(left);
  std::optional<IndexingMap> a = quotients.replaced(left);
  std::optional<IndexingMap> b = a ? quotients.replaced(right) : std::nullopt;
  if (!b) return std::nullopt;
  a->ranges = quotients.ranges();
  const bool are_same = quotients.are_same(*a, *b);
  return Replaced{*std::move(a), *std::move(b), are_same, quotients.has_wide()};
}

// ---- Near zero ----

// The points of the map whose variables are small, or as small as their bounds allow.
IndexingMap near_zero(IndexingMap map, const std::vector<Interval>& box) {
  constexpr int64_t kBelow = 4, kAbove = 8;
  size_t v = 0;
  for (const Op kind : kVariableKinds) {
    for (int64_t i = 0; i < std::ssize(variables_of(map, kind)); ++i, ++v) {
      const int64_t low = std::max(box[v].low, std::min(-kBelow, box[v].high));
      const int64_t high = std::min(box[v].high, std::max(low, kAbove));
      Interval& bounds = variables_of(map, kind)[i].bounds;
      bounds = {std::max(bounds.low, low), std::min(bounds.high, high)};
    }
  }
  return map;
}

// ---- By divisor ----

// The map for these values of divisors: constants divide, and the variables have one value.
IndexingMap at_divisors(const IndexingMap& map, const std::set<VariableId>& divisors,
                        const std::vector<int64_t>& values) {
  IndexingMap made = map, at = map;
  made.nodes.clear();
  for (size_t i = 0; const auto& [kind, number] : divisors) {
    const int64_t value = values[i++];
    variables_of(at, kind)[number].bounds = {value, value};
    Interval& bounds = variables_of(made, kind)[number].bounds;
    const bool inside = bounds.low <= value && value <= bounds.high;
    bounds = inside ? Interval{value, value} : Interval{1, 0};
  }
  std::vector<NodeId> copied;
  for (Node node : map.nodes) {
    if (!is_leaf(node.op)) {
      const std::optional<Interval> by =
          is_division(node.op) ? interval_of(at, node.right) : std::nullopt;
      node.left = copied[node.left];
      node.right =
          by && by->low == by->high ? add_constant(made.nodes, by->low) : copied[node.right];
    }
    copied.push_back(static_cast<NodeId>(made.nodes.size()));
    made.nodes.push_back(node);
  }
  for (NodeId& result : made.results) result = copied[result];
  for (Constraint& constraint : made.constraints) constraint.expr = copied[constraint.expr];
  return made;
}

// The number of cases, or nothing if there are too many.
std::optional<int64_t> count_cases(const std::vector<Interval>& ranges) {
  int64_t count = 1;
  for (const Interval& range : ranges) {
    if (range.low > range.high) return 0;
    const uint64_t width = static_cast<uint64_t>(range.high) - static_cast<uint64_t>(range.low);
    if (width >= static_cast<uint64_t>(kMostCases / count)) return std::nullopt;
    count *= static_cast<int64_t>(width) + 1;
  }
  return count;
}

// ---- All methods ----

class DividedProof {
 public:
  DividedProof(const IndexingMap& left, const IndexingMap& right, const EqualOptions& options)
      : left_(left), right_(right), options_(options) {
    options_.smtlib_directory.clear();
  }

  absl::StatusOr<MapEquality> prove() {
    const SearchResult all = search_all(left_, right_, options_.enumerated);
    result_.points = all.points;
    if (all.difference) return different(*all.difference, Basis::kEnumerated);
    if (all.complete) return proven(Basis::kEnumerated);
    if (const auto found = difference_near_zero()) return different(*found, Basis::kSampled);
    const std::optional<Replaced> replaced = with_quotients(left_, right_);
    if (replaced && !replaced->has_wide) {
      const auto found = replaced->are_same ? std::nullopt : sampled(*replaced);
      if (found) return different(*found, Basis::kSampled);
      EqualOptions half = options_;
      half.milliseconds = options_.milliseconds / 2;
      if (replaced->are_same) half.milliseconds = std::min(half.milliseconds, kMillisecondsOfLog);
      half.enumerated = 0;
      const MapEquality general = TRY(equal(replaced->left, replaced->right, half));
      result_.questions += general.questions;
      if (general.verdict == Verdict::kProven) {
        // The maps with quotients are identical: so the maps are only rearranged.
        const bool identical = general.basis == Basis::kIdentical;
        return proven(identical ? Basis::kRearranged : general.basis);
      }
    }
    if (replaced && replaced->are_same) return proven(Basis::kRearranged);
    return by_divisor();
  }

 private:
  std::optional<Values> difference_near_zero() {
    if (options_.sampled_points == 0) return std::nullopt;
    const std::vector<Interval> box = box_around(left_, right_);
    const SearchResult found =
        search_all(near_zero(left_, box), near_zero(right_, box), kWorkOfShrinking);
    result_.points += found.points;
    return found.difference;
  }

  std::optional<Values> sampled(const Replaced& replaced) {
    Choose choose(Choose::Random{0});
    const auto dims = std::ssize(left_.dimensions), ranges = std::ssize(left_.ranges);
    const auto quotients = std::ssize(replaced.left.ranges) - ranges;
    for (Values values : sample(replaced.left, replaced.right, options_.sampled_points, choose)) {
      values.erase(values.begin() + dims + ranges, values.begin() + dims + ranges + quotients);
      ++result_.points;
      if (compare_at(left_, right_, point_of(left_, values)) == AtPoint::kDiffer) return values;
    }
    return std::nullopt;
  }

  absl::StatusOr<MapEquality> by_divisor() {
    std::set<VariableId> divisors = variables_that_divide(left_);
    divisors.merge(variables_that_divide(right_));
    std::vector<Interval> ranges;
    for (const auto& [kind, number] : divisors) {
      const Interval a = variables_of(left_, kind)[number].bounds;
      const Interval b = variables_of(right_, kind)[number].bounds;
      ranges.push_back({std::min(a.low, b.low), std::max(a.high, b.high)});
    }
    const std::optional<int64_t> cases = count_cases(ranges);
    if (!cases) {
      result_.open = absl::StrCat("expected at most ", kMostCases,
                                  " values of the variables that divide, as the maps are not equal "
                                  "for all quotients");
      return result_;
    }
    if (*cases == 0) return proven(Basis::kCases);
    std::vector<int64_t> values;
    for (const Interval& range : ranges) values.push_back(range.low);
    const ThreadCpuClock::time_point begin = ThreadCpuClock::now();
    do {
      const auto spent =
          std::chrono::duration_cast<std::chrono::milliseconds>(ThreadCpuClock::now() - begin);
      EqualOptions left_over = options_;
      left_over.milliseconds = std::max<int64_t>(1, options_.milliseconds - spent.count());
      const MapEquality one = TRY(equal(at_divisors(left_, divisors, values),
                                        at_divisors(right_, divisors, values), left_over));
      result_.points += one.points;
      result_.questions += one.questions;
      if (one.difference) return different(values_of(one.difference->at), one.basis);
      if (one.verdict != Verdict::kProven) {
        result_.open = one.open;
        return result_;
      }
    } while (next_point(ranges, values));
    return proven(Basis::kCases);
  }

  MapEquality different(const Values& values, Basis basis) const {
    return verify::different(left_, right_, values, basis, result_);
  }
  MapEquality proven(Basis basis) const { return verify::proven(basis, result_); }

  const IndexingMap& left_;
  const IndexingMap& right_;
  EqualOptions options_;
  MapEquality result_;
};

// MLIR says nothing of a division by less than 1. So what divides in one affine_map is at least 1 in
// the other one, too.
void share_divisors(const IndexingMap& from, IndexingMap& to) {
  constexpr Interval kPositive = {1, kAnyInt64.high};
  for (const auto& [kind, number] : variables_that_divide(from)) {
    Interval& bounds = variables_of(to, kind)[number].bounds;
    const bool is_affine = variables_of(from, kind)[number].bounds == kPositive;
    if (is_affine && bounds == kAnyInt64) bounds = kPositive;
  }
}

}  // namespace

absl::StatusOr<MapEquality> equal_with_variable_divisors(const IndexingMap& left,
                                                         const IndexingMap& right,
                                                         const EqualOptions& options) {
  if (!has_variable_divisors(left) && !has_variable_divisors(right))
    return equal(left, right, options);
  TRY(check_counts(left, right));
  IndexingMap a = left, b = right;
  share_divisors(left, b);
  share_divisors(right, a);
  return DividedProof(a, b, options).prove();
}

}  // namespace tileproof::verify

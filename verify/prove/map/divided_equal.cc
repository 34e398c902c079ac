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
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/prove/map/map_points.h"
#include "verify/prove/map/smaller_difference.h"
#include "verify/prove/smt/quasi_affine.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMostCases = 1024;
constexpr size_t kMostQuotients = 64;
constexpr Interval kAnyInt64 = {std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max()};

bool is_division(Op op) { return op == Op::kFloorDiv || op == Op::kCeilDiv || op == Op::kMod; }

// A variable, by its kind and number.
using VariableId = std::pair<Op, int64_t>;

std::set<VariableId> variable_divisors_of(const IndexingMap& map) {
  std::set<VariableId> divisors;
  for (const Node& node : map.nodes) {
    if (!is_division(node.op)) continue;
    const Node& divisor = map.nodes[node.right];
    if (is_variable(divisor.op)) divisors.insert({divisor.op, divisor.value});
  }
  return divisors;
}

// ---- For all quotients ----

// Replaces divisions by variables in maps of the same variables.
class Quotients {
 public:
  // The maps have the bounds of the box around both, so that the same variable has the same bounds.
  explicit Quotients(const IndexingMap& like) : first_(std::ssize(like.ranges)) {
    variables_.dimensions = like.dimensions;
    variables_.ranges = like.ranges;
    variables_.runtime = like.runtime;
  }

  // Nothing if there are too many quotients, or their values do not fit int64.
  std::optional<IndexingMap> replaced(const IndexingMap& map) {
    made_ = variables_;
    made_.nodes.clear();
    std::vector<NodeId> copied;
    for (Node node : map.nodes) {
      if (!is_leaf(node.op)) {
        node.left = copied[node.left];
        node.right = copied[node.right];
      }
      const bool by_variable = is_division(node.op) && is_variable(made_.nodes[node.right].op);
      const std::optional<NodeId> copy =
          by_variable ? divided(node) : std::optional(appended(node));
      if (!copy) return std::nullopt;
      copied.push_back(*copy);
    }
    for (const NodeId result : map.results) made_.results.push_back(copied[result]);
    for (const Constraint& constraint : map.constraints)
      made_.constraints.push_back({copied[constraint.expr], constraint.interval});
    variables_.ranges = made_.ranges;
    return std::move(made_);
  }

  const std::vector<Variable>& ranges() const { return variables_.ranges; }

  // Whether some quotient may be no int64, so that the bounds of its variable say too much.
  bool has_wide() const { return has_wide_; }

 private:
  NodeId appended(const Node& node) {
    made_.nodes.push_back(node);
    return static_cast<NodeId>(made_.nodes.size()) - 1;
  }
  NodeId times(NodeId a, NodeId b) { return add_operation(made_.nodes, Op::kMul, a, b); }
  NodeId minus(NodeId a) { return times(a, add_constant(made_.nodes, -1)); }

  std::optional<NodeId> divided(const Node& node) {
    if (node.op == Op::kCeilDiv) {  // -((-e) floordiv s)
      const std::optional<NodeId> quotient = quotient_of(minus(node.left), node.right);
      return quotient ? std::optional(minus(*quotient)) : std::nullopt;
    }
    const std::optional<NodeId> quotient = quotient_of(node.left, node.right);
    if (!quotient || node.op == Op::kFloorDiv) return quotient;
    return add_operation(made_.nodes, Op::kAdd, node.left, minus(times(*quotient, node.right)));
  }

  // (x * s + y) floordiv s is x + y floordiv s.
  std::optional<NodeId> quotient_of(NodeId dividend, NodeId divisor) {
    const auto multiple = multiple_of(dividend, divisor);
    if (!multiple) return variable_of(dividend, divisor);
    const NodeId rest =
        add_operation(made_.nodes, Op::kAdd, dividend, minus(times(*multiple, divisor)));
    QuasiAffineContext context(box_of(without_constraints()));
    if (context.sums(made_, {rest})[0] == context.number(0)) return multiple;
    const std::optional<NodeId> quotient = variable_of(rest, divisor);
    if (!quotient) return std::nullopt;
    return add_operation(made_.nodes, Op::kAdd, *multiple, *quotient);
  }

  // The number of a variable among the atoms of a context.
  int32_t atom_of(const Node& variable) const {
    int64_t number = variable.value;
    for (const Op kind : kVariableKinds) {
      if (kind == variable.op) break;
      number += std::ssize(variables_of(made_, kind));
    }
    return static_cast<int32_t>(number);
  }

  // The terms of the dividend that are products of the divisor and other variables, without the
  // divisor. Nothing if there are none.
  std::optional<NodeId> multiple_of(NodeId dividend, NodeId divisor) {
    QuasiAffineContext context(box_of(without_constraints()));
    const Sum sum = context.sums(made_, {dividend})[0];
    const int32_t by = atom_of(made_.nodes[divisor]);
    std::optional<NodeId> multiple;
    for (const auto& [monomial, coefficient] : sum.terms) {
      const auto at = std::ranges::find(monomial, by);
      if (sum.too_large || at == monomial.end() || coefficient != static_cast<int64_t>(coefficient))
        continue;
      Product others(monomial.begin(), at);
      others.insert(others.end(), at + 1, monomial.end());
      const auto product = product_of(others, static_cast<int64_t>(coefficient));
      if (!product) continue;
      multiple = multiple ? add_operation(made_.nodes, Op::kAdd, *multiple, *product) : *product;
    }
    return multiple;
  }

  // Nothing if an atom is a floor.
  std::optional<NodeId> product_of(const Product& atoms, int64_t factor) {
    NodeId product = add_constant(made_.nodes, factor);
    for (int64_t atom : atoms) {
      bool is_variable = false;
      for (const Op kind : kVariableKinds) {
        const int64_t count = std::ssize(variables_of(made_, kind));
        if (atom < count) {
          product = times(product, add_variable(made_.nodes, kind, atom));
          is_variable = true;
          break;
        }
        atom -= count;
      }
      if (!is_variable) return std::nullopt;
    }
    return product;
  }

  // The variable of dividend floordiv divisor: one that exists, if the dividends are equal sums.
  std::optional<NodeId> variable_of(NodeId dividend, NodeId divisor) {
    const Node& by = made_.nodes[divisor];
    const VariableId id = {by.op, by.value};
    QuasiAffineContext context(box_of(without_constraints()));
    const Sum sum = context.sums(made_, {dividend})[0];
    for (size_t k = 0; k < known_.size(); ++k) {
      if (known_[k].divisor != id) continue;
      known_[k].map.ranges = made_.ranges;  // the same variables, so that sums can be compared
      const Sum other = context.sums(known_[k].map, {known_[k].dividend})[0];
      if (other == sum)
        return add_variable(made_.nodes, Op::kRange, first_ + static_cast<int64_t>(k));
    }
    const NodeId exact = add_operation(made_.nodes, Op::kFloorDiv, dividend, divisor);
    const std::optional<Interval> bounds = interval_of(made_, exact);
    has_wide_ |= !bounds;
    if (known_.size() == kMostQuotients) return std::nullopt;
    known_.push_back({id, without_constraints(), dividend});
    made_.nodes[exact] = {.op = Op::kRange, .value = std::ssize(made_.ranges)};
    made_.ranges.push_back({bounds.value_or(kAnyInt64), ""});
    return exact;
  }

  IndexingMap without_constraints() const {
    IndexingMap map = made_;
    map.constraints.clear();
    map.results.clear();
    return map;
  }

  struct Known {
    VariableId divisor;
    IndexingMap map;  // of the nodes of the dividend
    NodeId dividend;
  };

  int64_t first_;          // range variable of quotient 0
  IndexingMap variables_;  // with those of the quotients so far
  IndexingMap made_;
  std::vector<Known> known_;
  bool has_wide_ = false;
};

// Both maps with quotients as further range variables. A bound that a map does not share with the
// other one becomes a constraint.
struct Replaced {
  IndexingMap left, right;
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
  if (std::any_of(box.begin(), box.end(), [](Interval i) { return i.low > i.high; }))
    return std::nullopt;
  const IndexingMap left = in_box(given_left, box), right = in_box(given_right, box);
  Quotients quotients(left);
  std::optional<IndexingMap> a = quotients.replaced(left);
  std::optional<IndexingMap> b = a ? quotients.replaced(right) : std::nullopt;
  if (!b) return std::nullopt;
  a->ranges = quotients.ranges();
  return Replaced{*std::move(a), *std::move(b), quotients.has_wide()};
}

bool has_divisions(const IndexingMap& map) {
  return std::ranges::any_of(map.nodes, [](const Node& node) { return is_division(node.op); });
}

// Whether the maps are the same polynomials, whatever integers their variables are.
bool are_same_polynomials(const IndexingMap& left, const IndexingMap& right) {
  if (has_divisions(left) || has_divisions(right)) return false;
  if (left.constraints.size() != right.constraints.size()) return false;
  std::vector<NodeId> of_left = left.results, of_right = right.results;
  for (size_t i = 0; i < left.constraints.size(); ++i) {
    if (!(left.constraints[i].interval == right.constraints[i].interval)) return false;
    of_left.push_back(left.constraints[i].expr);
    of_right.push_back(right.constraints[i].expr);
  }
  QuasiAffineContext context(box_around(left, right));
  return context.sums(left, of_left) == context.sums(right, of_right);
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
IndexingMap at_divisors(const IndexingMap& map,
                        const std::vector<std::pair<VariableId, int64_t>>& values) {
  IndexingMap made = map;
  made.nodes.clear();
  for (const auto& [id, value] : values) add_constant(made.nodes, value);
  const auto shift = static_cast<NodeId>(values.size());
  for (Node node : map.nodes) {
    if (!is_leaf(node.op)) {
      const Node& divisor = map.nodes[node.right];
      node.left += shift;
      node.right += shift;
      for (size_t i = 0; i < values.size() && is_division(node.op); ++i) {
        if (values[i].first == VariableId{divisor.op, divisor.value})
          node.right = static_cast<NodeId>(i);
      }
    }
    made.nodes.push_back(node);
  }
  for (NodeId& result : made.results) result += shift;
  for (Constraint& constraint : made.constraints) constraint.expr += shift;
  for (const auto& [id, value] : values) {
    Interval& bounds = variables_of(made, id.first)[id.second].bounds;
    const bool inside = bounds.low <= value && value <= bounds.high;
    bounds = inside ? Interval{value, value} : Interval{1, 0};
  }
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
    if (replaced && replaced->has_wide) {
      if (are_same_polynomials(replaced->left, replaced->right)) return proven(Basis::kRearranged);
    } else if (replaced) {
      if (const auto found = sampled(*replaced)) return different(*found, Basis::kSampled);
      EqualOptions half = options_;
      half.milliseconds = options_.milliseconds / 2;
      half.enumerated = 0;
      const MapEquality general = TRY(equal(replaced->left, replaced->right, half));
      result_.questions += general.questions;
      if (general.verdict == Verdict::kProven) {
        // The maps with quotients are identical: so the maps are only rearranged.
        const bool identical = general.basis == Basis::kIdentical;
        return proven(identical ? Basis::kRearranged : general.basis);
      }
    }
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
    std::set<VariableId> divisors = variable_divisors_of(left_);
    divisors.merge(variable_divisors_of(right_));
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
    std::vector<std::pair<VariableId, int64_t>> values;
    for (size_t i = 0; const VariableId& id : divisors) values.push_back({id, ranges[i++].low});
    const ThreadCpuClock::time_point begin = ThreadCpuClock::now();
    for (int64_t k = 0; k < *cases; ++k) {
      const auto spent =
          std::chrono::duration_cast<std::chrono::milliseconds>(ThreadCpuClock::now() - begin);
      EqualOptions left_over = options_;
      left_over.milliseconds = std::max<int64_t>(1, options_.milliseconds - spent.count());
      const MapEquality one =
          TRY(equal(at_divisors(left_, values), at_divisors(right_, values), left_over));
      result_.points += one.points;
      result_.questions += one.questions;
      if (one.difference) {
        return different(values_of(one.difference->at), one.basis);
      }
      if (one.verdict != Verdict::kProven) {
        result_.open = one.open;
        return result_;
      }
      for (size_t i = values.size(); i-- > 0;) {  // the next case
        if (++values[i].second <= ranges[i].high) break;
        values[i].second = ranges[i].low;
      }
    }
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
  for (const auto& [kind, number] : variable_divisors_of(from)) {
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

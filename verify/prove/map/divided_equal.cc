// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/divided_equal.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/prove/map/map_points.h"
#include "verify/prove/map/smaller_difference.h"
#include "verify/prove/smt/quasi_affine.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {
namespace {

using spec::Exact;

constexpr int64_t kMostCases = 1024;
constexpr size_t kMostQuotients = 64;
constexpr int kMostNested = 16;
constexpr Interval kAnyInt64 = {std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max()};

bool is_division(Op op) { return op == Op::kFloorDiv || op == Op::kCeilDiv || op == Op::kMod; }

// By node: whether a division is in its tree.
std::vector<bool> nodes_that_divide(const IndexingMap& map) {
  std::vector<bool> divides;
  for (const Node& node : map.nodes) {
    divides.push_back(is_division(node.op) ||
                      (!is_leaf(node.op) && (divides[node.left] || divides[node.right])));
  }
  return divides;
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
    const std::vector<bool> divides = nodes_that_divide(map);
    // First what has no divisions: what such constraints say holds for all else.
    std::vector<NodeId> copied(map.nodes.size(), -1);
    facts_.clear();
    for (const bool with_divisions : {false, true}) {
      for (size_t id = 0; id < map.nodes.size(); ++id) {
        if (divides[id] != with_divisions) continue;
        Node node = map.nodes[id];
        if (!is_leaf(node.op)) {
          node.left = copied[node.left];
          node.right = copied[node.right];
        }
        const bool by_variable =
            is_division(node.op) && made_.nodes[node.right].op != Op::kConstant;
        const std::optional<NodeId> copy =
            by_variable ? divided(node) : std::optional(appended(node));
        if (!copy) return std::nullopt;
        copied[id] = *copy;
      }
      for (const Constraint& one : map.constraints) {
        if (!divides[one.expr] && !with_divisions)
          facts_.push_back({copied[one.expr], one.interval});
      }
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

  // x floordiv c of polynomials, with floors by constants. Each step is an identity of integers:
  //
  //     (g*x) floordiv (g*c)             x floordiv c
  //     x floordiv c                     (-x) floordiv (-c), where c < 0
  //     (c*x + y) floordiv c             x + y floordiv c
  //     y floordiv c                     0 where 0 <= y < c;  -1 where -c <= y < 0
  //     (x floordiv d + y) floordiv c    (x + d*y) floordiv (d*c), where c > 0
  //     y floordiv c                     -1 - (-y - 1) floordiv c, where y begins with a minus
  std::optional<NodeId> quotient_of(NodeId dividend, NodeId divisor, int depth = 0) {
    QuasiAffineContext context(box_of(without_constraints()));
    const std::vector<Sum> both = context.sums(made_, {dividend, divisor});
    Sum x = both[0], by = both[1];
    if (x.too_large || by.too_large || depth > kMostNested) return variable_of(dividend, divisor);
    cancel_common_factor(x, by);
    if (const Exact high = context.range_of(by).high; high.value && *high.value < 0) {
      x = -x;
      by = -by;
    }
    if (by.is_number()) {
      const std::optional<NodeId> left = node_of(context, x), right = node_of(context, by);
      if (!left || !right) return std::nullopt;
      return add_operation(made_.nodes, Op::kFloorDiv, *left, *right);
    }
    Sum multiple = multiple_of(x, by);
    Sum rest = x - multiple * by;
    std::optional<NodeId> quotient;
    if (const auto small = small_quotient(context, rest, by)) {
      multiple = multiple + context.number(*small);
      quotient = add_constant(made_.nodes, 0);
    } else if (is_positive(context, by)) {
      quotient = nested_quotient(context, rest, by, depth);
      const bool is_below = !quotient && begins_with_minus(rest);
      if (is_below) {
        rest = -rest - context.number(1);
        multiple = multiple - context.number(1);
      }
      if (!quotient) quotient = new_quotient(context, rest, by);
      if (quotient && is_below) quotient = minus(*quotient);
    } else {
      quotient = new_quotient(context, rest, by);
    }
    const std::optional<NodeId> whole = node_of(context, multiple);
    if (!quotient || !whole) return std::nullopt;
    return add_operation(made_.nodes, Op::kAdd, *whole, *quotient);
  }

  static bool begins_with_minus(const Sum& sum) {
    return sum.terms.empty() ? sum.constant < 0 : sum.terms.begin()->second < 0;
  }

  // Whether the sum is at least 1: also a product whose greatest value does not fit.
  static bool is_positive(const QuasiAffineContext& context, const Sum& sum) {
    const Exact low = context.range_of(sum).low;
    if (low.value) return *low.value > 0;
    return sum.constant >= 0 && std::ranges::all_of(sum.terms, [&](const auto& term) {
             return term.second > 0 && std::ranges::all_of(term.first, [&](int32_t atom) {
                      const Exact least = context.atoms()[static_cast<size_t>(atom)].range.low;
                      return least.value && *least.value > 0;
                    });
           });
  }

  // Divides both by the atoms and the number that all their terms have.
  static void cancel_common_factor(Sum& x, Sum& by) {
    std::optional<Product> atoms;
    Wide number = 0;
    for (const Sum* sum : {&x, &by}) {
      number = gcd(number, sum->constant);
      if (sum->constant != 0) atoms = Product();
      for (const auto& [monomial, coefficient] : sum->terms) {
        number = gcd(number, coefficient);
        Product common;
        if (atoms) std::ranges::set_intersection(*atoms, monomial, std::back_inserter(common));
        atoms = atoms ? common : monomial;
      }
    }
    for (Sum* sum : {&x, &by}) {
      lemmas::Terms<int32_t, Wide> terms;
      for (const auto& [monomial, coefficient] : sum->terms) {
        Product others;
        std::ranges::set_difference(monomial, *atoms, std::back_inserter(others));
        if (others.empty()) {
          sum->constant += coefficient;  // there was none
        } else {
          terms.emplace(std::move(others), coefficient / number);
        }
      }
      sum->constant /= number;
      sum->terms = std::move(terms);
    }
  }

  // The terms of x that the first term of `by` divides, divided by it.
  static Sum multiple_of(const Sum& x, const Sum& by) {
    const auto& [atoms, factor] = *by.terms.begin();
    Sum multiple = x - x;
    for (const auto& [monomial, coefficient] : x.terms) {
      if (coefficient % factor != 0 || !std::ranges::includes(monomial, atoms)) continue;
      Product others;
      std::ranges::set_difference(monomial, atoms, std::back_inserter(others));
      if (others.empty()) {
        multiple.constant += coefficient / factor;
      } else {
        multiple.terms.emplace(std::move(others), coefficient / factor);
      }
    }
    return multiple;
  }

  // The quotient 0 or -1 of what is smaller than the divisor.
  std::optional<int64_t> small_quotient(QuasiAffineContext& context, const Sum& rest,
                                        const Sum& by) {
    if (!is_positive(context, by)) return std::nullopt;
    const Range range = context.range_of(rest);
    const Wide least = context.range_of(by).low.value.value_or(1);
    if (range.low.value && range.high.value && *range.low.value >= 0 && *range.high.value < least)
      return 0;
    if (range.low.value && range.high.value && *range.high.value < 0 && *range.low.value >= -least)
      return -1;
    // A constraint says that the rest is below the divisor.
    for (const Constraint& fact : facts_) {
      const Sum gap = by - rest - context.sums(made_, {fact.expr})[0];
      const bool is_less = gap.is_number() && gap.constant + fact.interval.low > 0;
      if (is_less && range.low.value && *range.low.value >= 0) return 0;
    }
    // It is a remainder by no more than the divisor.
    for (size_t k = 0; k < known_.size(); ++k) {
      const auto [x, d] = sums_of(context, known_[k]);
      const Sum remainder = x - d * quotient_atom(context, k);
      const Exact more = context.range_of(by - d).low;
      if (remainder == rest && is_positive(context, d) && more.value && *more.value >= 0) return 0;
    }
    return std::nullopt;
  }

  // Where the rest has a quotient, or a floor by a constant, as a term.
  std::optional<NodeId> nested_quotient(QuasiAffineContext& context, const Sum& rest, const Sum& by,
                                        int depth) {
    for (const auto& [monomial, coefficient] : rest.terms) {
      if (coefficient != 1 || monomial.size() != 1) continue;
      const auto& atom = context.atoms()[static_cast<size_t>(monomial[0])];
      Sum x, d;
      if (atom.divisor != 0) {
        x = atom.dividend;
        d = context.number(atom.divisor);
      } else {
        const int64_t k = monomial[0] - std::ssize(made_.dimensions) - first_;
        if (k < 0 || k >= std::ssize(known_)) continue;
        std::tie(x, d) = sums_of(context, known_[static_cast<size_t>(k)]);
      }
      const Sum others = rest - context.atom(monomial[0]);
      const std::optional<NodeId> dividend = node_of(context, x + d * others);
      const std::optional<NodeId> divisor = node_of(context, d * by);
      if (dividend && divisor) return quotient_of(*dividend, *divisor, depth + 1);
    }
    return std::nullopt;
  }

  // The sum as a node. Nothing if a number of it does not fit.
  std::optional<NodeId> node_of(const QuasiAffineContext& context, const Sum& sum) {
    const auto fits = [](Wide value) { return value == static_cast<int64_t>(value); };
    if (sum.too_large || !fits(sum.constant)) return std::nullopt;
    NodeId node = add_constant(made_.nodes, static_cast<int64_t>(sum.constant));
    for (const auto& [monomial, coefficient] : sum.terms) {
      if (!fits(coefficient)) return std::nullopt;
      NodeId product = add_constant(made_.nodes, static_cast<int64_t>(coefficient));
      for (const int32_t number : monomial) {
        const std::optional<NodeId> atom = node_of_atom(context, number);
        if (!atom) return std::nullopt;
        product = times(product, *atom);
      }
      node = add_operation(made_.nodes, Op::kAdd, node, product);
    }
    return node;
  }

  std::optional<NodeId> node_of_atom(const QuasiAffineContext& context, int64_t number) {
    const auto& atom = context.atoms()[static_cast<size_t>(number)];
    if (atom.divisor != 0) {
      const std::optional<NodeId> dividend = node_of(context, atom.dividend);
      if (!dividend || atom.divisor > INT64_MAX) return std::nullopt;
      const NodeId divisor = add_constant(made_.nodes, static_cast<int64_t>(atom.divisor));
      return add_operation(made_.nodes, Op::kFloorDiv, *dividend, divisor);
    }
    for (const Op kind : kVariableKinds) {
      const int64_t count = std::ssize(variables_of(made_, kind));
      if (number < count) return add_variable(made_.nodes, kind, number);
      number -= count;
    }
    return std::nullopt;
  }

  std::optional<NodeId> new_quotient(const QuasiAffineContext& context, const Sum& rest,
                                     const Sum& by) {
    const std::optional<NodeId> dividend = node_of(context, rest), divisor = node_of(context, by);
    if (!dividend || !divisor) return std::nullopt;
    return variable_of(*dividend, *divisor);
  }

  // The variable of dividend floordiv divisor: one that exists, if both are equal sums.
  std::optional<NodeId> variable_of(NodeId dividend, NodeId divisor) {
    QuasiAffineContext context(box_of(without_constraints()));
    const std::vector<Sum> sums = context.sums(made_, {dividend, divisor});
    for (size_t k = 0; k < known_.size(); ++k) {
      const auto [x, by] = sums_of(context, known_[k]);
      if (x == sums[0] && by == sums[1])
        return add_variable(made_.nodes, Op::kRange, first_ + static_cast<int64_t>(k));
    }
    const NodeId exact = add_operation(made_.nodes, Op::kFloorDiv, dividend, divisor);
    const std::optional<Interval> bounds = interval_of(made_, exact);
    has_wide_ |= !bounds;
    if (known_.size() == kMostQuotients) return std::nullopt;
    known_.push_back({without_constraints(), dividend, divisor});
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

  // A quotient that became a variable.
  struct Known {
    IndexingMap map;  // of both nodes
    NodeId dividend, divisor;
  };

  std::pair<Sum, Sum> sums_of(QuasiAffineContext& context, const Known& known) const {
    IndexingMap map = known.map;
    map.ranges = made_.ranges;  // the variables of the context
    const std::vector<Sum> sums = context.sums(map, {known.dividend, known.divisor});
    return {sums[0], sums[1]};
  }
  Sum quotient_atom(QuasiAffineContext& context, size_t k) const {
    return context.atom(
        static_cast<int32_t>(std::ssize(made_.dimensions) + first_ + static_cast<int64_t>(k)));
  }

  int64_t first_;          // range variable of quotient 0
  IndexingMap variables_;  // with those of the quotients so far
  IndexingMap made_;
  std::vector<Known> known_;
  std::vector<Constraint> facts_;  // of the nodes of the map that is being made
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
  if (!has_points(box)) return std::nullopt;
  const IndexingMap left = in_box(given_left, box), right = in_box(given_right, box);
  Quotients quotients(left);
  std::optional<IndexingMap> a = quotients.replaced(left);
  std::optional<IndexingMap> b = a ? quotients.replaced(right) : std::nullopt;
  if (!b) return std::nullopt;
  a->ranges = quotients.ranges();
  return Replaced{*std::move(a), *std::move(b), quotients.has_wide()};
}

// Whether a result or constraint divides.
bool has_divisions(const IndexingMap& map) {
  const std::vector<bool> divides = nodes_that_divide(map);
  return std::ranges::any_of(map.results, [&](NodeId id) { return divides[id]; }) ||
         std::ranges::any_of(map.constraints,
                             [&](const Constraint& one) { return divides[one.expr]; });
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

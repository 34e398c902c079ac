// SPDX-License-Identifier: Apache-2.0
#include "impl/map/solve_ranges.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "impl/map/map_builder.h"
#include "impl/map/normal_form/normal_form.h"
#include "impl/map/simplify.h"
#include "impl/map/visit_nodes.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::impl {
namespace {

// A sum of factor * range variable, plus an expression without unsolved range variables.
struct Sum {
  std::map<int64_t, int64_t> unknowns;  // no factor is 0
  NodeId known = -1;
};

// sum = 0.
struct Equation {
  Sum sum;
  int64_t quotient = -1;  // the quotient variable that this equation defines
};

class Solver {
 public:
  explicit Solver(const IndexingMap& map) : m_({}) {
    m_.map() = map;
    for (size_t i = 0; i < map.ranges.size(); ++i) add_unknown(Kind::kGiven);
  }

  std::optional<IndexingMap> run() {
    take_constraints();
    while (!equations_.empty() && !failed()) step();
    for (const auto& [sum, interval] : constraints_) m_.require(node_of(sum), interval);
    if (failed()) return std::nullopt;
    return resolved();
  }

 private:
  bool failed() const { return failed_ || m_.failed(); }

  const ExprTable& nodes() const { return m_.map().nodes; }
  const std::vector<Variable>& ranges() const { return m_.map().ranges; }
  Interval bounds(int64_t variable) const { return ranges()[variable].bounds; }

  // The bounds of a quotient variable follow from the equations.
  enum class Kind : uint8_t { kGiven, kQuotient, kRemainder };

  void add_unknown(Kind kind) {
    solved_.push_back(-1);
    kinds_.push_back(kind);
  }

  // ---- Sums ----

  // The factor of the variable; 0 if it does not occur.
  static int64_t factor_of(const Sum& sum, int64_t variable) {
    const auto found = sum.unknowns.find(variable);
    return found == sum.unknowns.end() ? 0 : found->second;
  }

  std::optional<int64_t> number(const Sum& sum) const {
    const Node& node = nodes()[sum.known];
    if (!sum.unknowns.empty() || node.op != Op::kConstant) return std::nullopt;
    return node.value;
  }

  int64_t checked(std::optional<int64_t> value) {
    if (!value) failed_ = true;
    return value.value_or(0);
  }

  // a + factor * b. Every factor has a negation in 64 bits.
  Sum plus(Sum a, const Sum& b, int64_t factor = 1) {
    for (const auto& [variable, times] : b.unknowns) {
      int64_t& at = a.unknowns[variable];
      const auto both = checked_add(at, checked(checked_mul(times, factor)));
      at = checked(both == INT64_MIN ? std::nullopt : both);
      if (at == 0) a.unknowns.erase(variable);
    }
    a.known = m_.plus(a.known, m_.times(b.known, factor));
    return a;
  }
  Sum constant(int64_t value) { return {{}, m_.constant(value)}; }
  Sum times(const Sum& a, int64_t factor) { return plus(constant(0), a, factor); }
  Sum unknown(int64_t variable) { return {{{variable, 1}}, m_.constant(0)}; }

  NodeId node_of(const Sum& sum) {
    NodeId node = sum.known;
    for (const auto& [variable, factor] : sum.unknowns) {
      node = m_.plus(node, m_.times(add_variable(m_.map().nodes, Op::kRange, variable), factor));
    }
    return node;
  }

  // The smallest and the largest value of the sum, by the bounds of the unknowns. Both are limited
  // to 2^126: larger sums give up before they leave 128 bits.
  Range reach(const std::map<int64_t, int64_t>& unknowns) {
    constexpr Wide kFar = Wide{1} << 125;
    Range range;
    for (const auto& [variable, factor] : unknowns) {
      const Wide low = Wide{bounds(variable).low} * factor;
      const Wide high = Wide{bounds(variable).high} * factor;
      range.low += std::min(low, high);
      range.high += std::max(low, high);
      if (range.low < -kFar || kFar < range.high) {
        failed_ = true;
        return {};
      }
    }
    return range;
  }

  // ---- Sums from constraints ----

  // Equations first; then, of the other constraints, those that are sums without new quotients.
  void take_constraints() {
    const std::vector<Constraint> constraints = std::exchange(m_.map().constraints, {});
    const auto is_equation = [](const Constraint& c) { return c.interval.low == c.interval.high; };
    for (const bool equations : {true, false}) {
      may_divide_ = equations;
      std::vector<NodeId> roots;
      for (const Constraint& c : constraints) {
        if (is_equation(c) == equations) roots.push_back(c.expr);
      }
      const auto sums = sums_of(roots);
      for (const Constraint& c : constraints) {
        if (is_equation(c) != equations) continue;
        if (!sums[c.expr] || sums[c.expr]->unknowns.empty()) {
          m_.map().constraints.push_back(c);
        } else if (equations) {
          equations_.push_back({plus(constant(c.interval.low), *sums[c.expr], -1)});
        } else {
          constraints_.emplace_back(*sums[c.expr], c.interval);
        }
      }
    }
  }

  // The sums of all nodes under the roots, by node.
  std::vector<std::optional<Sum>> sums_of(const std::vector<NodeId>& roots) {
    std::vector<std::optional<Sum>> sums(nodes().size());
    for (const NodeId id : nodes_under(nodes(), roots)) sums[id] = sum_of(id, sums);
    return sums;
  }

  // Nothing if it is not linear in range variables and their quotients.
  std::optional<Sum> sum_of(NodeId id, const std::vector<std::optional<Sum>>& sums) {
    const Node node = nodes()[id];
    if (node.op == Op::kRange) {
      const Interval all = bounds(node.value);
      return all.low == all.high ? constant(all.low) : unknown(node.value);
    }
    if (is_leaf(node.op)) return Sum{{}, id};
    if (!sums[node.left] || !sums[node.right]) return std::nullopt;
    const Sum& left = *sums[node.left];
    const Sum& right = *sums[node.right];
    if (node.op == Op::kAdd) return plus(left, right);
    const std::optional<int64_t> factor = number(right);
    if (node.op == Op::kMul) {
      if (factor) return times(left, *factor);
      if (number(left)) return times(right, *number(left));
      return left.unknowns.empty() && right.unknowns.empty() ? std::optional(Sum{{}, id})
                                                             : std::nullopt;
    }
    if (!factor || *factor < 1) {
      return left.unknowns.empty() ? std::optional(Sum{{}, id}) : std::nullopt;
    }
    const bool up = node.op == Op::kCeilDiv;  // computed as -((-x) floordiv c)
    const std::optional<Parts> parts = divided(up ? times(left, -1) : left, *factor);
    if (!parts) return std::nullopt;
    if (up) return times(parts->quotient, -1);
    return node.op == Op::kMod ? parts->rest : parts->quotient;
  }

  struct Parts {
    Sum quotient, rest;
  };

  struct Quotient {
    Sum dividend;
    int64_t divisor;
  };

  // sum floordiv c and sum mod c, with new variables if needed and allowed. Multiples of c are
  // taken out first, so that sums that differ by them have the same remainder.
  std::optional<Parts> divided(const Sum& sum, int64_t c) {
    if (c == 1) return Parts{sum, constant(0)};
    Sum multiple = constant(0), rest = sum;
    for (auto& [variable, factor] : rest.unknowns) {
      // Rounds to the nearest multiple, which may itself have more than 64 bits.
      const int64_t above = floor_remainder(factor, c);
      const bool up = above > c / 2;
      const int64_t times = floor_quotient(factor, c) + (up ? 1 : 0);
      if (times != 0) multiple.unknowns[variable] = times;
      factor = up ? above - c : above;
    }
    std::erase_if(rest.unknowns, [](const auto& term) { return term.second == 0; });
    if (const Node known = nodes()[rest.known]; known.op == Op::kConstant) {
      multiple.known = m_.constant(floor_quotient(known.value, c));
      rest.known = m_.constant(floor_remainder(known.value, c));
    }
    const std::optional<Parts> parts = divided_rest(rest, c);
    if (!parts) return std::nullopt;
    return Parts{plus(multiple, parts->quotient), parts->rest};
  }

  std::optional<Parts> divided_rest(const Sum& sum, int64_t c) {
    if (sum.unknowns.empty()) {
      return Parts{{{}, m_.floordiv(sum.known, c)}, {{}, m_.mod(sum.known, c)}};
    }
    if (const Quotient* inner = as_quotient(sum)) {
      // (x floordiv b) floordiv c = x floordiv (b * c), so both are the same variable.
      const std::optional<int64_t> divisor = checked_mul(inner->divisor, c);
      if (divisor) {
        const std::optional<Parts> whole = divided(Sum(inner->dividend), *divisor);
        if (!whole) return std::nullopt;
        return Parts{whole->quotient, plus(sum, whole->quotient, -c)};
      }
    }
    const auto key =
        std::make_tuple(sum.unknowns, numbers_.of(nodes(), sum.known + 1)[sum.known], c);
    if (const auto found = parts_.find(key); found != parts_.end()) return found->second;
    if (!may_divide_) return std::nullopt;
    const Range range = reach(sum.unknowns);
    const Interval rest = reach_of_known(sum.known);
    const Interval quotients{narrow(floor_wide(range.low + rest.low, c)),
                             narrow(floor_wide(range.high + rest.high, c))};
    const Parts parts{new_variable(quotients, Kind::kQuotient),
                      new_variable({0, c - 1}, Kind::kRemainder)};
    equations_.push_back({plus(plus(sum, parts.quotient, -c), parts.rest, -1)});
    for (const auto& [quotient, one] : parts.quotient.unknowns) {  // empty if it is one number
      equations_.back().quotient = quotient;
      quotients_.emplace(quotient, Quotient{sum, c});
    }
    return parts_.emplace(key, parts).first->second;
  }

  // The quotient, if the sum is exactly one quotient variable.
  const Quotient* as_quotient(const Sum& sum) const {
    const Node& known = nodes()[sum.known];
    const bool alone = sum.unknowns.size() == 1 && sum.unknowns.begin()->second == 1 &&
                       known.op == Op::kConstant && known.value == 0;
    const auto found = alone ? quotients_.find(sum.unknowns.begin()->first) : quotients_.end();
    return found == quotients_.end() ? nullptr : &found->second;
  }

  Interval reach_of_known(NodeId known) {
    if (nodes()[known].op == Op::kConstant) return {nodes()[known].value, nodes()[known].value};
    const absl::StatusOr<Interval> range = impl::range_of(m_.map(), known);
    if (!range.ok()) failed_ = true;
    return range.value_or(Interval{});
  }

  int64_t narrow(Wide value) {
    const bool fits = INT64_MIN <= value && value <= INT64_MAX;
    return checked(fits ? std::optional(static_cast<int64_t>(value)) : std::nullopt);
  }

  Sum new_variable(Interval interval, Kind kind) {
    if (interval.low == interval.high) return constant(interval.low);
    m_.map().ranges.push_back({interval, ""});
    add_unknown(kind);
    return unknown(std::ssize(ranges()) - 1);
  }

  // ---- Steps ----

  // Steps without a choice go first.
  void step() {
    for (size_t i = 0; i < equations_.size(); ++i) {
      Sum& sum = equations_[i].sum;
      if (sum.unknowns.empty()) return m_.require(taken(i).known, {0, 0});
      turn(sum);
      if (sum.unknowns.size() == 1) {
        const int64_t variable = sum.unknowns.begin()->first;
        return eliminate(taken(i), variable);
      }
      if (std::optional<Digits> digits = digits_of(sum)) return split(i, *std::move(digits));
    }
    choose_and_eliminate();
  }

  Sum taken(size_t i) {
    Sum equation = std::move(equations_[i].sum);
    equations_.erase(equations_.begin() + static_cast<std::ptrdiff_t>(i));
    return equation;
  }

  // Normalizes the sign: the factor with the largest magnitude becomes negative.
  void turn(Sum& equation) {
    const auto size = [](const auto& term) { return std::abs(term.second); };
    const auto most = std::ranges::max_element(equation.unknowns, {}, size);
    if (most->second > 0) equation = times(equation, -1);
  }

  // g * high + low, where `low` has fewer than g values.
  struct Digits {
    int64_t g;
    Sum high, low;
    Range range;  // the range of `low`
  };

  // The digits of the unknowns of the sum. For the common factor of all of them, `low` has one
  // value.
  std::optional<Digits> digits_of(const Sum& sum) {
    std::vector<int64_t> factors;
    for (const auto& [variable, factor] : sum.unknowns) factors.push_back(std::abs(factor));
    std::ranges::sort(factors, std::ranges::greater{});
    int64_t g = 0;
    for (const int64_t next : factors) {
      g = std::gcd(g, next);
      if (g == 1) break;
      Digits digits{g, {}, {}, {}};
      for (const auto& [variable, factor] : sum.unknowns) {
        factor % g == 0 ? digits.high.unknowns[variable] = factor / g
                        : digits.low.unknowns[variable] = factor;
      }
      digits.range = reach(digits.low.unknowns);
      if (digits.range.high - digits.range.low < g) return digits;
    }
    return std::nullopt;
  }

  // Replaces g * -high + -low = known by an equation for each digit.
  void split(size_t i, Digits digits) {
    const NodeId least = m_.constant(narrow(-digits.range.high));
    const NodeId rest = m_.minus(taken(i).known, least);
    digits.high.known = m_.floordiv(rest, digits.g);
    digits.low.known = m_.plus(m_.mod(rest, digits.g), least);
    equations_.push_back({std::move(digits.high)});
    equations_.push_back({std::move(digits.low)});
  }

  // Eliminates a quotient; otherwise, in the equation with the fewest unknowns, the variable with
  // the most values.
  void choose_and_eliminate() {
    for (size_t i = 0; i < equations_.size(); ++i) {
      for (const auto& [variable, factor] : equations_[i].sum.unknowns) {
        if (kinds_[variable] != Kind::kQuotient) continue;
        const bool alone = std::abs(factor) == 1;
        if (alone || is_only_passed_on(equations_[i], variable)) {
          return eliminate(taken(i), variable);
        }
      }
    }
    const auto least = std::ranges::min_element(
        equations_, {}, [](const Equation& equation) { return equation.sum.unknowns.size(); });
    const Sum equation = taken(static_cast<size_t>(least - equations_.begin()));
    const auto values = [&](const std::pair<const int64_t, int64_t>& term) {
      return Wide{bounds(term.first).high} - bounds(term.first).low;
    };
    eliminate(equation, std::ranges::max_element(equation.unknowns, {}, values)->first);
  }

  // Returns whether c divides x and the equations use the quotient x floordiv c only multiplied by
  // c: then c * (x floordiv c) can be replaced by x.
  bool is_only_passed_on(const Equation& definition, int64_t variable) const {
    if (definition.quotient != variable) return false;
    for (const auto& [other, factor] : definition.sum.unknowns) {
      if (kinds_[other] == Kind::kRemainder) return false;
    }
    const int64_t factor = factor_of(definition.sum, variable);
    int64_t mentions = 0;  // including the definition
    for (const Equation& equation : equations_) {
      const int64_t here = factor_of(equation.sum, variable);
      if (here % factor != 0) return false;
      if (here != 0) ++mentions;
    }
    return mentions > 1;
  }

  // Eliminates the variable, where factor * variable = -rest.
  void eliminate(Sum rest, int64_t variable) {
    const int64_t factor = rest.unknowns[variable];
    rest.unknowns.erase(variable);
    if (factor > 0) return eliminate(plus(times(rest, -1), unknown(variable), -factor), variable);
    const int64_t divisor = -factor;
    for (Equation& other : equations_) take_out(variable, divisor, rest, other.sum);
    for (auto& [sum, interval] : constraints_) {
      const int64_t scale = take_out(variable, divisor, rest, sum);
      interval = {checked(checked_mul(interval.low, scale)),
                  checked(checked_mul(interval.high, scale))};
    }
    const NodeId node = node_of(rest);
    if (divisor > 1) m_.require(m_.mod(node, divisor), {0, 0});
    solved_[variable] = m_.floordiv(node, divisor);
    if (kinds_[variable] == Kind::kQuotient) return;
    constraints_.emplace_back(rest, Interval{checked(checked_mul(bounds(variable).low, divisor)),
                                             checked(checked_mul(bounds(variable).high, divisor))});
  }

  // Removes the variable from the sum, where divisor * variable = rest, after multiplying the sum.
  // Returns the multiplier.
  int64_t take_out(int64_t variable, int64_t divisor, const Sum& rest, Sum& sum) {
    const int64_t factor = factor_of(sum, variable);
    if (factor == 0) return 1;
    const int64_t g = std::gcd(divisor, factor);
    sum.unknowns.erase(variable);
    sum = plus(times(sum, divisor / g), rest, factor / g);
    return divisor / g;
  }

  // ---- The map with solved variables replaced ----

  IndexingMap resolved() {
    positions_.assign(nodes().size(), -1);
    ExprTable table;
    IndexingMap out = m_.map();
    for (NodeId& result : out.results) result = copy(result, table);
    for (Constraint& constraint : out.constraints) constraint.expr = copy(constraint.expr, table);
    out.nodes = std::move(table);
    return out;
  }

  // Terminates: a variable depends only on variables that were solved later or not at all.
  NodeId copy(NodeId root, ExprTable& into) {
    std::vector<NodeId> open = {root};
    while (!open.empty()) {
      const NodeId id = open.back();
      const Node& node = nodes()[id];
      std::vector<NodeId> parts;
      if (node.op == Op::kRange && solved_[node.value] >= 0) parts = {solved_[node.value]};
      if (!is_leaf(node.op)) parts = {node.left, node.right};
      bool ready = true;
      for (const NodeId part : parts) {
        if (positions_[part] >= 0) continue;
        open.push_back(part);
        ready = false;
      }
      if (!ready) continue;
      open.pop_back();
      if (positions_[id] < 0) positions_[id] = position(node, parts, into);
    }
    return positions_[root];
  }

  NodeId position(const Node& node, const std::vector<NodeId>& parts, ExprTable& into) const {
    if (parts.size() == 1) return positions_[parts[0]];
    if (parts.size() == 2) {
      return add_operation(into, node.op, positions_[parts[0]], positions_[parts[1]]);
    }
    into.push_back(node);
    return static_cast<NodeId>(into.size() - 1);
  }

  MapBuilder m_;
  std::vector<NodeId> solved_;  // by range variable: its value, or -1
  std::vector<Kind> kinds_;     // by range variable: why it was introduced
  std::vector<Equation> equations_;
  std::vector<std::pair<Sum, Interval>> constraints_;
  bool may_divide_ = true;  // whether new quotient variables are allowed
  std::map<std::tuple<std::map<int64_t, int64_t>, NodeId, int64_t>, Parts> parts_;
  std::map<int64_t, Quotient> quotients_;  // the definition of each quotient variable
  TreeNumbers numbers_;
  std::vector<NodeId> positions_;  // of nodes in the table of the result
  bool failed_ = false;
};

}  // namespace

std::optional<IndexingMap> solve_ranges(const IndexingMap& map) {
  return map.ranges.empty() ? std::nullopt : Solver(map).run();
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/index_expressions.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/map/simplify.h"
#include "spec/base/integers.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/element_type.h"

namespace tileproof::verify {

using spec::TermId;

// ---- Operators ----

IndexNumber operator+(const IndexNumber& a, const IndexNumber& b) {
  if (a.store == nullptr && b.store == nullptr) return a.value + b.value;
  return (a.store != nullptr ? a : b).store->operation(Op::kAdd, a, b);
}

IndexNumber operator*(const IndexNumber& a, int64_t b) {
  return a.store == nullptr ? a.value * b : a.store->operation(Op::kMul, a, b);
}

IndexNumber floordiv(const IndexNumber& a, int64_t b) {
  if (a.store == nullptr) return spec::floordiv(a.value, b);
  return a.store->operation(Op::kFloorDiv, a, b);
}

IndexNumber mod(const IndexNumber& a, int64_t b) {
  return a.store == nullptr ? spec::mod(a.value, b) : a.store->operation(Op::kMod, a, b);
}

IndexTruth operator<(const IndexNumber& a, int64_t b) {
  return a.store == nullptr ? IndexTruth(a.value < b) : a.store->less(a, b);
}

IndexTruth operator==(const IndexNumber& a, const IndexNumber& b) {
  if (a.store == nullptr && b.store == nullptr) return a.value == b.value;
  return (a.store != nullptr ? a : b).store->equal(a, b);
}

IndexTruth operator!(const IndexTruth& a) {
  if (a.known) return !*a.known;
  IndexTruth result = a;
  result.term = a.store->apply(HloOpcode::kNot, ElementType::kPred, ElementType::kPred, {a.term});
  result.is_opposite = !a.is_opposite;
  return result;
}

IndexTruth operator&&(const IndexTruth& a, const IndexTruth& b) {
  if (a.known) return *a.known ? b : a;
  if (b.known) return *b.known ? a : b;
  const bool is_zero = a.number && b.number && a.number->node == b.number->node && a.is_opposite &&
                       a.bound == 0 && !b.is_opposite && b.bound == 1;
  if (is_zero) return a.store->equal(*a.number, 0);
  return {a.store, a.store->apply(HloOpcode::kAnd, ElementType::kPred, ElementType::kPred,
                                  {{a.term, b.term}})};
}

IndexTruth operator||(const IndexTruth& a, const IndexTruth& b) { return !(!a && !b); }

// ---- The store ----

NodeId IndexExpressions::intern(const Node& node) {
  const auto [at, is_new] = known_.try_emplace(node, static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return at->second;
}

NodeId IndexExpressions::node_of(const IndexNumber& number) {
  return number.store != nullptr ? number.node
                                 : intern({.op = Op::kConstant, .value = number.value});
}

IndexNumber IndexExpressions::number_of(NodeId node) {
  if (nodes_[node].op == Op::kConstant) return nodes_[node].value;
  return {this, node};
}

IndexNumber IndexExpressions::variable(const std::string& name, Interval bounds, TermId term) {
  const auto [at, is_new] =
      by_name_.try_emplace(absl::StrCat(name, " in ", bounds.low, "..", bounds.high));
  if (is_new) {
    const auto number = static_cast<int64_t>(variables_.size());
    at->second = intern({.op = Op::kDimension, .value = number});
    variables_.push_back({bounds, term});
  }
  return {this, at->second};
}

IndexNumber IndexExpressions::any_below(const std::string& name, int64_t size) {
  if (size == 1) return 0;
  if (size < 1 || size > (int64_t{1} << 31)) {
    fail();
    return 0;
  }
  // The element is less than the size, which the clamp says to those who look at the term alone.
  const spec::SymbolId any = terms_.symbol({.text = absl::StrCat("index ", name, " below ", size),
                                            .opcode = HloOpcode::kParameter,
                                            .type = ElementType::kU32});
  const TermId clamped[] = {terms_.constant(ElementType::kU32, int64_t{0}), terms_.element(any, 0),
                            terms_.constant(ElementType::kU32, size - 1)};
  const TermId inside = apply(HloOpcode::kClamp, ElementType::kU32, ElementType::kU32, clamped);
  const IndexNumber result =
      variable(name, {0, size - 1},
               apply(HloOpcode::kConvert, ElementType::kS64, ElementType::kU32, {inside}));
  any_terms_.insert(term_of(result));
  return result;
}

std::vector<IndexNumber> IndexExpressions::variables_in(const std::vector<IndexNumber>& numbers) {
  std::vector<NodeId> roots;
  for (const IndexNumber& number : numbers) {
    if (number.store != nullptr) roots.push_back(number.node);
  }
  std::vector<IndexNumber> variables;
  for (const NodeId at : held_by(roots)) {
    if (nodes_[at].op == Op::kDimension) variables.emplace_back(this, at);
  }
  return variables;
}

std::vector<IndexNumber> IndexExpressions::replaced(const std::vector<IndexNumber>& numbers,
                                                    const std::vector<IndexNumber>& variables,
                                                    const std::vector<IndexNumber>& by) {
  std::map<NodeId, IndexNumber> done;
  for (size_t k = 0; k < variables.size(); ++k) done.emplace(variables[k].node, by[k]);
  std::vector<NodeId> roots;
  for (const IndexNumber& number : numbers) {
    if (number.store != nullptr) roots.push_back(number.node);
  }
  for (const NodeId at : held_by(roots)) {  // operands are before what uses them
    const Node node = nodes_[at];
    if (is_leaf(node.op)) {
      done.emplace(at, number_of(at));
    } else {
      done.emplace(at, operation(node.op, done.at(node.left), done.at(node.right)));
    }
  }
  std::vector<IndexNumber> results;
  for (const IndexNumber& number : numbers) {
    results.push_back(number.store != nullptr ? done.at(number.node) : number);
  }
  simplify(results);
  return results;
}

std::vector<IndexNumber> IndexExpressions::inside(std::vector<IndexNumber> numbers,
                                                  const std::vector<int64_t>& sizes) {
  for (size_t d = 0; d < numbers.size(); ++d) {
    const IndexNumber number = numbers[d];
    if (number.store == nullptr) continue;
    const auto range = range_of(number.node);
    if (range && range->low >= 0 && range->high < sizes[d]) continue;
    numbers[d] = variable(absl::StrCat("inside ", number.node), {0, sizes[d] - 1}, term_of(number));
    inside_.emplace(numbers[d].node, number);
  }
  return numbers;
}

std::vector<IndexNumber> IndexExpressions::outside(std::vector<IndexNumber> numbers) {
  std::vector<IndexNumber> variables, by;
  if (inside_.empty()) return numbers;
  for (const IndexNumber& one : variables_in(numbers)) {
    const auto known = inside_.find(one.node);
    if (known == inside_.end()) continue;
    variables.push_back(one);
    by.push_back(known->second);
  }
  if (variables.empty()) return numbers;
  simplify(numbers);
  return outside(replaced(numbers, variables, by));  // those in turn
}

Interval IndexExpressions::bounds_of(const IndexNumber& variable) const {
  return variables_[nodes_[variable.node].value].bounds;
}

IndexNumber IndexExpressions::operation(Op op, const IndexNumber& a, const IndexNumber& b) {
  const bool is_identity =
      b.store == nullptr &&
      ((op == Op::kAdd && b.value == 0) || (op != Op::kAdd && op != Op::kMod && b.value == 1));
  if (is_identity) return a;
  if (op == Op::kAdd && a.store == nullptr && a.value == 0) return b;
  if (b.store == nullptr &&
      ((op == Op::kMul && b.value == 0) || (op == Op::kMod && b.value == 1))) {
    return 0;
  }
  const NodeId left = node_of(a), right = node_of(b);
  return {this, intern({.op = op, .left = left, .right = right})};
}

// The nodes of the expressions. Operands are before what uses them.
std::set<NodeId> IndexExpressions::held_by(const std::vector<NodeId>& roots) const {
  std::set<NodeId> held;
  std::vector<NodeId> open = roots;
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    if (!held.insert(at).second || is_leaf(nodes_[at].op)) continue;
    open.push_back(nodes_[at].left);
    open.push_back(nodes_[at].right);
  }
  return held;
}

// The map from the variables that the expressions hold, in the order of their numbers, to them.
IndexingMap IndexExpressions::map_of(const std::vector<NodeId>& roots,
                                     std::vector<int64_t>& variables) const {
  const std::set<NodeId> held = held_by(roots);
  for (const NodeId at : held) {
    if (nodes_[at].op == Op::kDimension) variables.push_back(nodes_[at].value);
  }
  std::ranges::sort(variables);
  IndexingMap map;
  for (const int64_t one : variables) map.dimensions.push_back({variables_[one].bounds, ""});
  std::map<NodeId, NodeId> moved;
  for (const NodeId at : held) {
    Node node = nodes_[at];
    if (node.op == Op::kDimension) {
      node.value = std::ranges::lower_bound(variables, node.value) - variables.begin();
    } else if (!is_leaf(node.op)) {
      node.left = moved.at(node.left);
      node.right = moved.at(node.right);
    }
    moved[at] = static_cast<NodeId>(map.nodes.size());
    map.nodes.push_back(node);
  }
  for (const NodeId root : roots) map.results.push_back(moved.at(root));
  return map;
}

IndexingMap IndexExpressions::map(const std::vector<IndexNumber>& results, const Inside& inside,
                                  const std::vector<Named>& dimensions,
                                  const std::vector<Named>& ranges) {
  std::vector<NodeId> roots;
  for (const IndexNumber& one : results) roots.push_back(node_of(one));
  for (const auto& [number, bounds] : inside) roots.push_back(node_of(number));
  std::vector<int64_t> variables;
  IndexingMap map = map_of(roots, variables);
  map.dimensions.clear();
  std::map<int64_t, std::pair<Op, int64_t>> places;  // by the number of a variable
  for (const auto& [op, list] : {std::pair(Op::kDimension, &dimensions), {Op::kRange, &ranges}}) {
    for (int64_t k = 0; k < std::ssize(*list); ++k) {
      const auto& [variable, number] = (*list)[k];
      variables_of(map, op).push_back(variable);
      if (number.store != nullptr) places[nodes_[number.node].value] = {op, k};
    }
  }
  for (Node& node : map.nodes) {
    if (node.op == Op::kDimension) std::tie(node.op, node.value) = places.at(variables[node.value]);
  }
  for (size_t k = 0; k < inside.size(); ++k) {
    map.constraints.push_back({map.results[results.size() + k], inside[k].second});
  }
  map.results.resize(results.size());
  return map;
}

void IndexExpressions::simplify(std::vector<IndexNumber>& numbers) {
  std::vector<NodeId> roots;
  for (const IndexNumber& number : numbers) {
    if (number.store != nullptr && !is_leaf(nodes_[number.node].op)) roots.push_back(number.node);
  }
  if (roots.empty()) return;
  std::vector<int64_t> variables;
  const auto simple = impl::simplify(map_of(roots, variables));
  if (!simple.ok() || simple->known_empty) return fail();
  std::vector<NodeId> moved;
  for (Node node : simple->nodes) {
    if (node.op == Op::kDimension) node.value = variables[node.value];
    if (!is_leaf(node.op)) {
      node.left = moved[node.left];
      node.right = moved[node.right];
    }
    moved.push_back(intern(node));
  }
  size_t next = 0;
  for (IndexNumber& number : numbers) {
    if (number.store == nullptr || is_leaf(nodes_[number.node].op)) continue;
    number = number_of(moved[simple->results[next++]]);
  }
}

std::optional<Interval> IndexExpressions::range_of(NodeId node) {
  const auto known = ranges_.find(node);
  if (known != ranges_.end()) return known->second;
  std::vector<int64_t> variables;
  const IndexingMap map = map_of({node}, variables);
  const auto range = impl::range_of(map, map.results[0]);
  return ranges_[node] = range.ok() ? std::optional(*range) : std::nullopt;
}

// ---- Terms ----

TermId IndexExpressions::apply(HloOpcode f, ElementType type, ElementType from,
                               absl::Span<const TermId> operands, const std::string& direction) {
  const std::string text =
      f == HloOpcode::kCompare
          ? absl::StrCat("compare ", direction, " of ", info(from).name)
          : absl::StrCat(name_of(f), " ", info(type).name, " of ", info(from).name);
  return terms_.apply(
      terms_.symbol(
          {.text = text, .opcode = f, .type = type, .from = from, .direction = direction}),
      operands);
}

TermId IndexExpressions::term_of(const IndexNumber& number) {
  if (number.store == nullptr) return terms_.constant(ElementType::kS64, number.value);
  const auto known = of_node_.find(number.node);
  if (known != of_node_.end()) return known->second;
  const TermId term = computed_term(number.node);
  if (!has_failed_) of_node_[number.node] = term;
  return term;
}

TermId IndexExpressions::computed_term(NodeId node) {
  constexpr ElementType kType = ElementType::kS64;
  const Node at = nodes_[node];
  switch (at.op) {
    case Op::kConstant:
      return terms_.constant(kType, at.value);
    case Op::kDimension:
      return variables_[at.value].term;
    case Op::kAdd:
    case Op::kMul:
      return apply(at.op == Op::kAdd ? HloOpcode::kAdd : HloOpcode::kMultiply, kType, kType,
                   {{term_of({this, at.left}), term_of({this, at.right})}});
    case Op::kFloorDiv:
    case Op::kMod:
      return divided(node);
    default:
      fail();
      return terms_.constant(kType, int64_t{0});
  }
}

// x floordiv c is (x + k c) / c - k, and x mod c is (x + k c) mod c, if x + k c is never negative.
TermId IndexExpressions::divided(NodeId node) {
  constexpr ElementType kType = ElementType::kS64;
  const Node at = nodes_[node];
  const auto range = range_of(at.left);
  const Node by = nodes_[at.right];
  if (!range || by.op != Op::kConstant || by.value <= 0) {
    fail();
    return terms_.constant(kType, int64_t{0});
  }
  const int64_t k = range->low < 0 ? -spec::floordiv(range->low, by.value) : 0;
  const auto constant = [&](int64_t value) { return terms_.constant(kType, value); };
  const auto raised = checked_mul(k, by.value);
  if (!raised) fail();
  const TermId x = apply(HloOpcode::kAdd, kType, kType,
                         {{term_of({this, at.left}), constant(raised.value_or(0))}});
  if (at.op == Op::kMod) {
    return apply(HloOpcode::kRemainder, kType, kType, {{x, constant(by.value)}});
  }
  const TermId quotient = apply(HloOpcode::kDivide, kType, kType, {{x, constant(by.value)}});
  return apply(HloOpcode::kSubtract, kType, kType, {{quotient, constant(k)}});
}

// ---- Comparisons ----

std::optional<int64_t> IndexExpressions::split_of(const IndexNumber& variable) const {
  const auto known = splits_.find(variable.node);
  return known == splits_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<int64_t> IndexExpressions::digit_of(const IndexNumber& variable) const {
  const auto known = digits_.find(variable.node);
  return known == digits_.end() ? std::nullopt : std::optional(known->second);
}

void IndexExpressions::split_as(const IndexNumber& variable, const IndexNumber& number) {
  if (variable.store == nullptr || number.store == nullptr) return;
  if (const auto at = split_of(variable)) split(number, *at);
}

std::optional<IndexExpressions::OfVariable> IndexExpressions::of_variable(NodeId node) const {
  OfVariable found{node};
  const auto constant = [&](NodeId of, Op op) -> std::optional<int64_t> {
    const Node& at = nodes_[of];
    const bool is_one = at.op == op && nodes_[at.right].op == Op::kConstant;
    return is_one ? std::optional(nodes_[at.right].value) : std::nullopt;
  };
  if (const auto added = constant(found.variable, Op::kAdd)) {
    found.constant = *added;
    found.variable = nodes_[found.variable].left;
  }
  if (const auto factor = constant(found.variable, Op::kMul)) {
    found.factor = *factor;
    found.variable = nodes_[found.variable].left;
  }
  const bool is_variable = nodes_[found.variable].op == Op::kDimension && found.factor != 0;
  return is_variable ? std::optional(found) : std::nullopt;
}

// Where the number is `at` or more, or no longer.
void IndexExpressions::split_variable(const OfVariable& of, int64_t at) {
  const Interval bounds = variables_[nodes_[of.variable].value].bounds;
  const auto apart = checked_sub(at, of.constant);
  if (!apart || *apart == INT64_MIN || of.factor == INT64_MIN) return;
  const std::optional<int64_t> least = of.factor > 0
                                           ? std::optional(-spec::floordiv(-*apart, of.factor))
                                           : checked_add(spec::floordiv(-*apart, -of.factor), 1);
  if (!least || *least <= bounds.low || *least > bounds.high) return;
  int64_t& first = splits_.try_emplace(of.variable, *least).first->second;
  first = std::min(first, *least);
}

// A comparison of a variable, times a factor and but for a constant, is true below this number and false from it
// on, or the other way round. One of a rest that wraps once is another from there on, and any rest is one of a digit.
void IndexExpressions::split(const IndexNumber& number, int64_t at) {
  if (const auto of = of_variable(number.node)) return split_variable(*of, at);
  for (const NodeId one : held_by({number.node})) {
    const Node& node = nodes_[one];
    const bool is_rest = node.op == Op::kMod && nodes_[node.right].op == Op::kConstant;
    const int64_t by = is_rest ? nodes_[node.right].value : 0;
    const auto of = by > 0 ? of_variable(node.left) : std::nullopt;
    const auto range = of ? range_of(node.left) : std::nullopt;
    if (!range) continue;
    const Interval bounds = variables_[nodes_[of->variable].value].bounds;
    const int64_t size = bounds.high - bounds.low + 1;
    if (of->factor == 1 && bounds.low == 0 && size % by == 0 && size > by && by > 1) {
      int64_t& least = digits_.try_emplace(of->variable, by).first->second;
      least = std::min(least, by);
    }
    if (spec::floordiv(range->high, by) - spec::floordiv(range->low, by) != 1) continue;
    split_variable(*of, spec::floordiv(range->high, by) * by);
  }
}

std::optional<IndexExpressions::Comparison> IndexExpressions::comparison(TermId predicate,
                                                                         bool holds) const {
  const auto known = comparisons_.find(predicate);
  if (known == comparisons_.end()) return std::nullopt;
  Comparison says = known->second;
  if (holds) return says;
  if (says.in.low != INT64_MIN) return std::nullopt;
  says.in = {says.in.high + 1, INT64_MAX};
  return says;
}

IndexTruth IndexExpressions::less(const IndexNumber& number, int64_t bound) {
  std::vector<IndexNumber> simple = {number};
  simplify(simple);
  IndexNumber a = simple[0];
  int64_t b = bound;
  if (a.store == nullptr) return a.value < b;
  // x floordiv c < b says that x < b c.
  for (Node at = nodes_[a.node]; at.op == Op::kFloorDiv; at = nodes_[a.node]) {
    const Node by = nodes_[at.right];
    const auto product = by.op == Op::kConstant ? checked_mul(b, by.value) : std::nullopt;
    if (!product || by.value <= 0) break;
    a = number_of(at.left);
    b = *product;
  }
  const auto range = range_of(a.node);
  if (range && range->high < b) return true;
  if (range && range->low >= b) return false;
  const IndexNumber plain = outside(simple)[0];
  const bool is_plain = plain.store != nullptr && plain.node == simple[0].node;
  if (!is_plain) return less(plain, bound);
  IndexTruth result(this, apply(HloOpcode::kCompare, ElementType::kPred, ElementType::kS64,
                                {{term_of(a), term_of(b)}}, "LT"));
  result.number = a;
  result.bound = b;
  split(a, b);
  if (b > INT64_MIN) comparisons_.try_emplace(result.term, Comparison{a, {INT64_MIN, b - 1}});
  return result;
}

IndexTruth IndexExpressions::equal(const IndexNumber& a, const IndexNumber& b) {
  std::vector<IndexNumber> simple = {a + b * int64_t{-1}};
  simplify(simple);
  const IndexNumber& difference = simple[0];
  if (difference.store == nullptr) return difference.value == 0;
  const auto range = range_of(difference.node);
  if (range && (range->low > 0 || range->high < 0)) return false;
  split(difference, 0);
  split(difference, 1);
  const TermId holds = apply(HloOpcode::kCompare, ElementType::kPred, ElementType::kS64,
                             {{term_of(difference), term_of(0)}}, "EQ");
  const IndexNumber plain = outside(simple)[0];
  if (plain.store != nullptr && plain.node == difference.node) {
    comparisons_.try_emplace(holds, Comparison{difference, {0, 0}});
  }
  return {this, holds};
}

}  // namespace tileproof::verify

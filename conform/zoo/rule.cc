// SPDX-License-Identifier: Apache-2.0
#include "conform/zoo/rule.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/numeric/int128.h"
#include "absl/types/span.h"
#include "spec/lang/map/interval.h"

namespace tileproof::zoo {
namespace {

using absl::int128;
using Number = std::optional<int128>;

// ---- Expressions ----

// The expressions of a map that is rewritten. Equal expressions have equal ids.
class Rewriting {
 public:
  explicit Rewriting(const IndexingMap& map) : map_(map) {}

  struct By {  // an expression `left op c` with a constant c
    NodeId left;
    int64_t c;
  };

  const ExprTable& table() const { return table_; }
  const Node& at(NodeId id) const { return table_[id]; }
  std::optional<int64_t> constant(NodeId id) const {
    return table_[id].op == Op::kConstant ? std::optional(table_[id].value) : std::nullopt;
  }
  std::optional<By> by(Op op, NodeId id) const {
    const bool is_it = table_[id].op == op && constant(table_[id].right);
    return is_it ? std::optional(By{table_[id].left, *constant(table_[id].right)}) : std::nullopt;
  }
  // The factor is 1 if `id` is not a product.
  By scaled(NodeId id) const { return by(Op::kMul, id).value_or(By{id, 1}); }
  std::vector<NodeId> terms(NodeId id) const;  // of nested sums; `id` itself if it is not a sum
  // Contains all values within the variables' bounds. Nothing if they do not fit 64 bits.
  std::optional<Interval> range(NodeId id);

  NodeId number(int64_t value) { return intern({.op = Op::kConstant, .value = value}); }
  NodeId make(Op op, NodeId left, NodeId right);
  NodeId times(NodeId left, int64_t factor) {
    return factor == 1 ? left : make(Op::kMul, left, number(factor));
  }
  // The sum of all terms except number i and j, and of `more`.
  NodeId sum_without(const std::vector<NodeId>& terms, size_t i, size_t j, NodeId more);

  // Copies an expression of the map as it is written, with constants that are not folded.
  NodeId copy(NodeId id);
  NodeId intern(const Node& node);

 private:
  const IndexingMap& map_;
  ExprTable table_;
  absl::flat_hash_map<Node, NodeId> positions_;
  std::vector<std::optional<Interval>> ranges_;
};

std::vector<NodeId> Rewriting::terms(NodeId id) const {
  std::vector<NodeId> result, open = {id};
  while (!open.empty()) {
    const Node node = table_[open.back()];
    const NodeId last = open.back();
    open.pop_back();
    if (node.op == Op::kAdd && result.size() + open.size() < 1000) {
      open.push_back(node.right);
      open.push_back(node.left);
    } else {
      result.push_back(last);
    }
  }
  return result;
}

std::optional<Interval> Rewriting::range(NodeId id) {
  for (auto i = static_cast<NodeId>(ranges_.size()); i <= id; ++i) {
    const Node& node = table_[i];
    std::optional<Interval> found;
    if (node.op == Op::kConstant) {
      found = {node.value, node.value};
    } else if (is_leaf(node.op)) {
      found = variables_of(map_, node.op)[node.value].bounds;
    } else if (ranges_[node.left] && ranges_[node.right]) {
      found = interval_of(node.op, *ranges_[node.left], *ranges_[node.right]);
    }
    ranges_.push_back(found);
  }
  return ranges_[id];
}

NodeId Rewriting::intern(const Node& node) {
  const auto [position, is_new] = positions_.emplace(node, static_cast<NodeId>(table_.size()));
  if (is_new) table_.push_back(node);
  return position->second;
}

NodeId Rewriting::make(Op op, NodeId left, NodeId right) {
  const std::optional<int64_t> a = constant(left), b = constant(right);
  if (a && b) {
    if (const std::optional<int64_t> value = value_of(op, *a, *b)) return number(*value);
  }
  if (a && !b && (op == Op::kAdd || op == Op::kMul)) std::swap(left, right);
  return intern({.op = op, .left = left, .right = right});
}

NodeId Rewriting::sum_without(const std::vector<NodeId>& terms, size_t i, size_t j, NodeId more) {
  std::optional<NodeId> sum;
  for (size_t k = 0; k < terms.size(); ++k) {
    if (k != i && k != j) sum = sum ? make(Op::kAdd, *sum, terms[k]) : terms[k];
  }
  return sum ? make(Op::kAdd, *sum, more) : more;
}

NodeId Rewriting::copy(NodeId id) {
  const Node& node = map_.nodes[id];
  if (is_leaf(node.op)) return intern(node);
  const NodeId left = copy(node.left), right = copy(node.right);
  return intern({.op = node.op, .left = left, .right = right});
}

// ---- Numbers ----

// Larger numbers are no numbers. The product of two 64-bit integers is one, and no sum overflows.
constexpr int128 kLargest = int128(1) << 126;

int128 magnitude(int128 n) { return n < 0 ? -n : n; }
bool fits(int128 n) { return n >= INT64_MIN && n <= INT64_MAX; }

// a / b, rounded down. b is not 0.
int128 floor_of(int128 a, int128 b) {
  const int128 q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

Number product(int128 a, int128 b) {
  if (a != 0 && magnitude(b) > kLargest / magnitude(a)) return std::nullopt;
  return a * b;
}

int128 gcd(int128 a, int128 b) { return b == 0 ? magnitude(a) : gcd(b, a % b); }

// The value of an operation or a function; `b` is that of one with a single argument, too.
Number computed(absl::string_view head, int128 a, int128 b) {
  if (head == "+") return a + b;
  if (head == "*") return product(a, b);
  if (head == "min") return std::min(a, b);
  if (head == "max") return std::max(a, b);
  if (head == "gcd") return gcd(a, b);
  if (head == "abs") return magnitude(a);
  if (head == "wrap") return static_cast<int64_t>(absl::Int128Low64(a));
  if (head == "int32") return static_cast<int32_t>(absl::Int128Low64(a));
  if (head == "double") return static_cast<int128>(static_cast<double>(a));
  if (b == 0) return std::nullopt;
  if (head == "quo") return a / b;
  if (head == "rem") return a % b;
  if (head == "floordiv") return floor_of(a, b);
  if (head == "ceildiv") return -floor_of(-a, b);
  if (head == "mod") return a - b * floor_of(a, b);
  if (head == "lcm") return product(a / gcd(a, b), b);
  return std::nullopt;
}

std::optional<Op> operation(absl::string_view head) {
  if (head == "floordiv") return Op::kFloorDiv;
  if (head == "ceildiv") return Op::kCeilDiv;
  if (head == "mod") return Op::kMod;
  if (head == "*") return Op::kMul;
  if (head == "+") return Op::kAdd;
  return std::nullopt;
}

bool is_number_letter(const Formula& f) {
  return is_letter(f) && f.head[0] <= 'u' && f.head[0] >= 'a';
}
bool is_end(const Formula& f) { return f.head == "low" || f.head == "high"; }

bool is_number(const Formula& f) {
  if (is_letter(f)) return is_number_letter(f);
  return is_end(f) || std::all_of(f.parts.begin(), f.parts.end(), is_number);
}

struct Range {
  int128 low, high;
};

// ---- Matching ----

// What the letters of a rule stand for.
class Match {
 public:
  explicit Match(Rewriting& r) : r_(r) {}

  bool matches(const Formula& pattern, NodeId id);
  bool matches_number(const Formula& pattern, int128 value);
  bool matches(const Bounded& pattern, NodeId expr, Interval interval) {
    return matches_number(pattern.low, interval.low) &&
           matches_number(pattern.high, interval.high) && matches(pattern.expr, expr);
  }
  // In order: a condition may name numbers for those behind it.
  bool hold(const std::vector<Comparison>& conditions) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [this](const Comparison& condition) { return holds(condition); });
  }

  std::optional<int64_t> integer(const Formula& f);
  std::optional<Interval> interval(const Bounded& bounded);
  std::optional<NodeId> build(const Formula& f);
  NodeId expression(const Formula& letter) const { return *expressions_[index(letter)]; }

 private:
  static size_t index(const Formula& letter) { return letter.head[0] & 127; }

  bool matches_letter(const Formula& letter, NodeId id);
  bool matches_sum(const Formula& sum, NodeId id);
  bool holds(const Comparison& condition);
  Number number(const Formula& f);
  std::optional<Range> range(const Formula& f);

  Rewriting& r_;
  std::array<std::optional<NodeId>, 128> expressions_;
  std::array<Number, 128> numbers_;
};

bool Match::matches_number(const Formula& pattern, int128 value) {
  if (is_number_letter(pattern) && !numbers_[index(pattern)]) {
    numbers_[index(pattern)] = value;
    return true;
  }
  return number(pattern) == value;
}

bool Match::matches_letter(const Formula& letter, NodeId id) {
  const char sort = letter.head[0];
  const Op op = r_.at(id).op;
  const bool variable = sort == 'v' || sort == 'w';
  if (variable && (!is_variable(op) || id == expressions_[sort == 'v' ? 'w' : 'v'])) return false;
  if (sort == 'D' && op != Op::kDimension) return false;
  if (sort == 'S' && op != Op::kRange) return false;
  if (sort == 'R' && op != Op::kRuntime) return false;
  if (sort == 'z' && op == Op::kAdd) return false;
  std::optional<NodeId>& known = expressions_[index(letter)];
  if (!known) known = id;
  return *known == id;
}

bool Match::matches_sum(const Formula& sum, NodeId id) {
  const Formula &left = sum.parts[0], &right = sum.parts[1];
  if (is_number(right)) {
    const std::optional<Rewriting::By> added = r_.by(Op::kAdd, id);
    return added && matches_number(right, added->c) && matches(left, added->left);
  }
  if (right.head != "Y") {
    const Node node = r_.at(id);
    return node.op == Op::kAdd && matches(left, node.left) && matches(right, node.right);
  }
  const std::vector<NodeId> terms = r_.terms(id);
  size_t at = 0;
  while (at < terms.size() && r_.scaled(terms[at]).c <= 1) ++at;
  if (terms.size() < 2 || at == terms.size()) return false;
  return matches(left, terms[at]) &&
         matches_letter(right, r_.sum_without(terms, at, at, r_.number(0)));
}

bool Match::matches(const Formula& pattern, NodeId id) {
  if (is_number_letter(pattern) || pattern.head.empty()) {
    const std::optional<int64_t> value = r_.constant(id);
    return value && matches_number(pattern, *value);
  }
  if (is_letter(pattern)) return matches_letter(pattern, id);
  const std::optional<Op> op = operation(pattern.head);
  if (op == Op::kAdd) return matches_sum(pattern, id);
  if (!op) return false;
  const Node node = r_.at(id);
  if (!is_number(pattern.parts[1])) {
    return node.op == op && matches(pattern.parts[0], node.left) &&
           matches(pattern.parts[1], node.right);
  }
  const std::optional<Rewriting::By> by = op == Op::kMul ? r_.scaled(id) : r_.by(*op, id);
  return by && matches_number(pattern.parts[1], by->c) && matches(pattern.parts[0], by->left);
}

Number Match::number(const Formula& f) {
  if (f.head.empty()) return f.value;
  if (is_letter(f)) return numbers_[index(f)];
  if (is_end(f)) {
    const std::optional<Range> ends = range(f.parts[0]);
    return ends ? Number(f.head == "low" ? ends->low : ends->high) : std::nullopt;
  }
  const Number a = number(f.parts.front()), b = number(f.parts.back());
  const Number value = a && b ? computed(f.head, *a, *b) : std::nullopt;
  return value && magnitude(*value) < kLargest ? value : std::nullopt;
}

std::optional<Range> Match::range(const Formula& f) {
  if (!is_number(f)) {
    const std::optional<NodeId> id = build(f);
    const std::optional<Interval> ends = id ? r_.range(*id) : std::nullopt;
    return ends ? std::optional(Range{ends->low, ends->high}) : std::nullopt;
  }
  const Number value = number(f);
  return value ? std::optional(Range{*value, *value}) : std::nullopt;
}

bool Match::holds(const Comparison& condition) {
  const auto& [left, relation, right] = condition;
  if (relation == "=" && is_number_letter(left) && !numbers_[index(left)]) {
    numbers_[index(left)] = number(right);
    return numbers_[index(left)].has_value();
  }
  if (relation.empty() && left.head == "constant")
    return r_.constant(*build(left.parts[0])).has_value();
  const std::optional<Range> a = range(relation.empty() ? left.parts[0] : left);
  if (!a) return false;
  const auto within = [&a](int128 end) { return a->low > -end && a->high < end; };
  if (relation.empty() && left.head == "small") return within(int128(1) << 30);
  if (relation.empty() && left.head == "fits") return fits(a->low) && fits(a->high);
  if (relation.empty()) return a->low <= a->high && within(int128(1) << 60);
  const std::optional<Range> b = range(right);
  if (!b) return false;
  if (relation == "<") return a->high < b->low;
  if (relation == "<=") return a->high <= b->low;
  if (relation == ">") return a->low > b->high;
  if (relation == ">=") return a->low >= b->high;
  if (relation == "=") return a->low == b->high && a->high == b->low;
  return a->high < b->low || a->low > b->high;
}

std::optional<int64_t> Match::integer(const Formula& f) {
  const Number value = number(f);
  return value && fits(*value) ? std::optional(static_cast<int64_t>(*value)) : std::nullopt;
}

std::optional<Interval> Match::interval(const Bounded& bounded) {
  const std::optional<int64_t> low = integer(bounded.low), high = integer(bounded.high);
  return low && high ? std::optional(Interval{*low, *high}) : std::nullopt;
}

std::optional<NodeId> Match::build(const Formula& f) {
  if (is_number(f)) {
    const std::optional<int64_t> value = integer(f);
    return value ? std::optional(r_.number(*value)) : std::nullopt;
  }
  if (is_letter(f)) return expressions_[index(f)];
  const std::optional<Op> op = operation(f.head);
  const std::optional<NodeId> left = build(f.parts.front()), right = build(f.parts.back());
  if (!op || !left || !right) return std::nullopt;
  const std::optional<int64_t> c = r_.constant(*right);
  if (c && op == Op::kMul) return r_.times(*left, *c);
  if (c == 0 && op != Op::kAdd) return std::nullopt;
  return r_.make(*op, *left, *right);
}

// ---- Rules about expressions ----

// Two terms of a sum that the two of a rule match.
std::optional<NodeId> apply_to_sum(const StatedRules& rules, Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t j = 0; j < terms.size(); ++j) {
      for (const StatedRule& rule : rules) {
        Match match(r);
        if (i == j || !match.matches(rule.from.parts[0], terms[i])) continue;
        if (!match.matches(rule.from.parts[1], terms[j]) || !match.hold(rule.conditions)) continue;
        if (const auto to = match.build(rule.to)) return r.sum_without(terms, i, j, *to);
      }
    }
  }
  return std::nullopt;
}

// The expression that replaces `id`, whose operands are already rewritten, if a rule matches it.
std::optional<NodeId> apply_to(const StatedRules& rules, Rewriting& r, NodeId id) {
  if (rules.front().from.head == "+") return apply_to_sum(rules, r, id);
  for (const StatedRule& rule : rules) {
    Match match(r);
    if (!match.matches(rule.from, id) || !match.hold(rule.conditions)) continue;
    if (const std::optional<NodeId> to = match.build(rule.to)) return to;
  }
  return std::nullopt;
}

// From the leaves up.
bool apply_to_expressions(const StatedRules& rules, IndexingMap& map) {
  const IndexingMap before = map;
  Rewriting r(before);
  bool matched = false;
  std::vector<NodeId> positions;
  for (Node node : before.nodes) {
    if (!is_leaf(node.op)) {
      NodeId left = positions[node.left], right = positions[node.right];
      const bool swap =
          r.constant(left) && !r.constant(right) && (node.op == Op::kAdd || node.op == Op::kMul);
      if (swap) std::swap(left, right);
      node = {.op = node.op, .left = left, .right = right};
    }
    // The rule sees an operation on two constants before it is folded.
    const std::optional<NodeId> other = apply_to(rules, r, r.intern(node));
    matched |= other.has_value();
    positions.push_back(other              ? *other
                        : is_leaf(node.op) ? r.intern(node)
                                           : r.make(node.op, node.left, node.right));
  }
  for (NodeId& result : map.results) result = positions[result];
  for (Constraint& constraint : map.constraints) constraint.expr = positions[constraint.expr];
  map.nodes = r.table();
  return matched;
}

// ---- Rules about constraints and bounds ----

enum class Effect { kNoMatch, kUnchanged, kChanged };

// Copies an expression into the table of a map.
NodeId put(const Rewriting& r, NodeId id, IndexingMap& map) {
  const auto offset = static_cast<NodeId>(map.nodes.size());
  for (Node node : r.table()) {
    if (!is_leaf(node.op)) {
      node.left += offset;
      node.right += offset;
    }
    map.nodes.push_back(node);
  }
  return id + offset;
}

// The constraints of a map, or each variable in its bounds.
std::vector<Constraint> facts_of(Rewriting& r, const IndexingMap& map, bool of_bounds) {
  std::vector<Constraint> facts;
  for (const Constraint& constraint : map.constraints) {
    if (!of_bounds) facts.push_back({r.copy(constraint.expr), constraint.interval});
  }
  for (const Op kind : kVariableKinds) {
    int64_t number = 0;
    for (const Variable& variable : variables_of(map, kind)) {
      if (of_bounds) facts.push_back({r.intern({.op = kind, .value = number++}), variable.bounds});
    }
  }
  return facts;
}

// Applies a rule to the facts at these places, in order.
Effect apply_at(const StatedRule& rule, IndexingMap& map, absl::Span<const size_t> places) {
  const IndexingMap before = map;
  Rewriting r(before);
  Match match(r);
  const std::vector<Constraint> facts = facts_of(r, before, rule.of_bounds);
  for (size_t k = 0; k < places.size(); ++k) {
    const Constraint& fact = facts[places[k]];
    if (!match.matches(rule.given[k], fact.expr, fact.interval)) return Effect::kNoMatch;
  }
  if (!match.hold(rule.conditions)) return Effect::kNoMatch;
  std::vector<Constraint> become;
  for (const Bounded& bounded : rule.become) {
    const std::optional<Interval> interval = match.interval(bounded);
    const std::optional<NodeId> expr = match.build(bounded.expr);
    if (!interval || !expr) return Effect::kNoMatch;
    become.push_back({put(r, *expr, map), *interval});
  }
  Effect effect = rule.keeps ? Effect::kUnchanged : Effect::kChanged;
  if (rule.bounds) {
    const std::optional<Interval> interval = match.interval(*rule.bounds);
    if (!interval) return Effect::kNoMatch;
    const Node& node = r.at(match.expression(rule.bounds->expr));
    Interval& bounds = variables_of(map, node.op)[node.value].bounds;
    if (!(bounds == *interval)) effect = Effect::kChanged;
    bounds = *interval;
  }
  for (size_t k = places.size(); k-- > become.size() && !rule.keeps;) {
    map.constraints.erase(map.constraints.begin() + static_cast<int64_t>(places[k]));
  }
  for (size_t k = 0; k < become.size(); ++k) map.constraints[places[k]] = become[k];
  return effect;
}

// To the next places in ascending order, the last one slowest.
void advance(std::vector<size_t>& places) {
  size_t k = 0;
  for (; k + 1 < places.size() && places[k] + 1 == places[k + 1]; ++k) places[k] = k;
  ++places[k];
}

bool apply_to_facts(const StatedRules& rules, IndexingMap& map) {
  bool changed = false;
  std::vector<size_t> places(rules[0].given.size());
  std::iota(places.begin(), places.end(), size_t{0});
  const auto count = [&] {
    if (!rules[0].of_bounds) return map.constraints.size();
    return map.dimensions.size() + map.ranges.size() + map.runtime.size();
  };
  while (places.back() < count()) {
    const size_t before = count();
    Effect effect = Effect::kNoMatch;
    for (const StatedRule& rule : rules) {
      if (effect == Effect::kNoMatch) effect = apply_at(rule, map, places);
    }
    changed |= effect == Effect::kChanged;
    if (effect != Effect::kNoMatch && !rules[0].each) return changed;
    if (count() == before) advance(places);  // otherwise another constraint is there
  }
  return changed;
}

}  // namespace

bool apply(const StatedRules& rules, IndexingMap& map) {
  return rules[0].given.empty() ? apply_to_expressions(rules, map) : apply_to_facts(rules, map);
}

std::optional<int64_t> apply(const StatedRules& rules, Op op, int64_t a, int64_t b) {
  const IndexingMap none;
  Rewriting r(none);
  for (const StatedRule& rule : rules) {
    Match match(r);
    if (operation(rule.from.head) != op) continue;
    match.matches_number(rule.from.parts[0], a);
    match.matches_number(rule.from.parts[1], b);
    if (!match.hold(rule.conditions)) continue;
    if (const std::optional<int64_t> value = match.integer(rule.to)) return value;
  }
  return std::nullopt;
}

}  // namespace tileproof::zoo

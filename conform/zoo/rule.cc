// SPDX-License-Identifier: Apache-2.0
#include "conform/zoo/rule.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/numeric/int128.h"

namespace tileproof::zoo {
namespace {

using absl::int128;
using Number = std::optional<int128>;
using Range = Rewriting::Range;

// Larger numbers are no numbers. The product of two 64-bit integers is one, and no sum overflows.
constexpr int128 kLargest = int128(1) << 126;

int128 magnitude(int128 n) { return n < 0 ? -n : n; }
bool fits(int128 n) { return n >= INT64_MIN && n <= INT64_MAX; }

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
  // Copies an expression as it is written, with constants that are not folded.
  NodeId copy(const ExprTable& from, NodeId id);
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
  absl::flat_hash_map<NodeId, NodeId> folded_;  // of copies: what has their range
};

bool Match::matches_number(const Formula& pattern, int128 value) {
  if (is_number_letter(pattern) && !numbers_[index(pattern)]) {
    numbers_[index(pattern)] = value;
    return true;
  }
  return number(pattern) == value;
}

NodeId Match::copy(const ExprTable& from, NodeId id) {
  std::vector<NodeId> positions;
  for (NodeId i = 0; i <= id; ++i) {
    Node node = from[i];
    if (!is_leaf(node.op)) {
      node = {.op = node.op, .left = positions[node.left], .right = positions[node.right]};
    }
    positions.push_back(r_.intern(node));
    folded_[positions[i]] = r_.copy(from, i);
  }
  return positions[id];
}

bool Match::matches_letter(const Formula& letter, NodeId id) {
  const char sort = letter.head[0];
  const bool variable = sort == 'v' || sort == 'w';
  if (variable && (!is_variable(r_.at(id).op) || id == expressions_[sort == 'v' ? 'w' : 'v'])) {
    return false;
  }
  if (sort == 'z' && r_.at(id).op == Op::kAdd) return false;
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
  while (at < terms.size() && r_.scaled(terms[at]).factor <= 1) ++at;
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
  const Rewriting::Scaled scaled = r_.scaled(id);
  const std::optional<Rewriting::By> by = op == Op::kMul ? Rewriting::By{scaled.expr, scaled.factor}
                                          : op           ? r_.by(*op, id)
                                                         : std::nullopt;
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
    if (!id) return std::nullopt;
    const auto folded = folded_.find(*id);
    return r_.range(folded == folded_.end() ? *id : folded->second);
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

// Applies a rule to constraint `at`, or to `first` and `at`.
Effect apply_at(const StatedRule& rule, IndexingMap& map, size_t first, size_t at) {
  const IndexingMap before = map;
  Rewriting r(before);
  Match match(r);
  const std::vector<size_t> places =
      rule.given.size() == 1 ? std::vector{at} : std::vector{first, at};
  for (size_t k = 0; k < places.size(); ++k) {
    const Constraint& constraint = before.constraints[places[k]];
    const NodeId expr = match.copy(before.nodes, constraint.expr);
    if (!match.matches(rule.given[k], expr, constraint.interval)) return Effect::kNoMatch;
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

}  // namespace

std::optional<NodeId> apply(const StatedRules& rules, Rewriting& r, NodeId id) {
  if (rules.front().from.head == "+") return apply_to_sum(rules, r, id);
  for (const StatedRule& rule : rules) {
    Match match(r);
    if (!match.matches(rule.from, id) || !match.hold(rule.conditions)) continue;
    if (const std::optional<NodeId> to = match.build(rule.to)) return to;
  }
  return std::nullopt;
}

bool apply(const StatedRules& rules, IndexingMap& map) {
  bool changed = false;
  const bool one = rules[0].given.size() == 1;
  for (size_t at = 0; at < map.constraints.size(); ++at) {
    for (size_t first = one ? at : 0; first < at + (one ? 1 : 0); ++first) {
      Effect effect = Effect::kNoMatch;
      const size_t before = map.constraints.size();
      for (const StatedRule& rule : rules) {
        if (effect == Effect::kNoMatch) effect = apply_at(rule, map, first, at);
      }
      changed |= effect == Effect::kChanged;
      if (effect != Effect::kNoMatch && !rules[0].each) return changed;
      if (map.constraints.size() < before) --at;
      if (map.constraints.size() < before) break;
    }
  }
  return changed;
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

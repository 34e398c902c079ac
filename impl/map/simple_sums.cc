// SPDX-License-Identifier: Apache-2.0
#include "impl/map/simple_sums.h"

#include <algorithm>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kMaxNumber = int64_t{1} << 31;  // of factors and divisors
constexpr int64_t kMaxBound = int64_t{1} << 40;   // of variables in quotients and of constants

bool is_small(int64_t x) { return -kMaxBound < x && x < kMaxBound; }

void start(SimpleSum& sum) {
  sum.count = sum.quotients = 0;
  sum.constant = sum.modulus = 0;
  sum.variables = 0;
  sum.changed = false;
}

// Adds factor * value to the constant of a sum.
bool add_value(int64_t factor, int64_t value, SimpleSum& sum) {
  int64_t part;
  sum.changed = true;
  return is_small(value) && is_small(sum.constant) &&
         !__builtin_mul_overflow(factor, value, &part) && is_small(part) &&
         (sum.constant += part, true);
}

uint64_t key_of(const SimpleTerm& term) {
  const uint64_t rank = term.divisor == 0 ? 2 : term.op == Op::kMod ? 0 : 1;
  return uint64_t{term.kind != Op::kDimension} << 63 | uint64_t{term.factor == 1} << 62 |
         rank << 60 | static_cast<uint32_t>(term.variable);
}

// Orders congruences among sums of variables: as a mod with factor 1.
uint64_t first_key(const SimpleSum& sum) {
  if (sum.modulus == 0) return sum.terms[sum.count - 1].key;
  const bool has_dimension = std::any_of(
      sum.begin(), sum.end(), [](const SimpleTerm& term) { return term.kind == Op::kDimension; });
  return uint64_t{!has_dimension} << 63 | uint64_t{1} << 62;
}

}  // namespace

int64_t factor_of(const SimpleSum& sum, int32_t variable) {
  for (const SimpleTerm& term : sum) {
    if (term.divisor == 0 && term.variable == variable) return term.factor;
  }
  return 0;
}

bool has_factor(const SimpleSum& sum, int64_t factor) {
  return std::any_of(sum.begin(), sum.end(),
                     [&](const SimpleTerm& term) { return term.factor == factor; });
}

bool comes_before(const SimpleSum& a, const SimpleSum& b) {
  if ((a.modulus == 0) != (b.modulus == 0)) return first_key(a) < first_key(b);
  if (a.modulus != 0 && first_key(a) != first_key(b)) return first_key(a) < first_key(b);
  for (int i = 1; i <= std::min(a.count, b.count); ++i) {
    const SimpleTerm &x = a.terms[a.count - i], &y = b.terms[b.count - i];
    if (x.key != y.key) return x.key < y.key;
    if (x.factor != y.factor) return x.factor < y.factor;
  }
  return a.count < b.count;
}

NodeId write(const SimpleSum& sum, ExprTable& out) {
  const auto append = [&](const Node& node) {
    out.push_back(node);
    return static_cast<NodeId>(out.size() - 1);
  };
  const auto apply = [&](Op op, NodeId left, int64_t number) {
    const NodeId right = append({.op = Op::kConstant, .value = number});
    return append({.op = op, .left = left, .right = right});
  };
  NodeId written = -1;
  for (int i = sum.count - 1; i >= 0; --i) {
    const SimpleTerm& term = sum.terms[i];
    NodeId summand = append({.op = term.kind, .value = term.number});
    if (term.inner != 0) summand = apply(Op::kAdd, summand, term.inner);
    if (term.divisor != 0) summand = apply(term.op, summand, term.divisor);
    if (term.factor != 1) summand = apply(Op::kMul, summand, term.factor);
    written = written < 0 ? summand : append({.op = Op::kAdd, .left = written, .right = summand});
  }
  if (written < 0)
    written = append({.op = Op::kConstant, .value = sum.constant});
  else if (sum.constant != 0)
    written = apply(Op::kAdd, written, sum.constant);
  return sum.modulus == 0 ? written : apply(Op::kMod, written, sum.modulus);
}

bool SimpleReader::narrow(int32_t variable, int64_t low, int64_t high) {
  for (int i = 0; i < count_; ++i) {
    if (narrowed_[i].variable != variable) continue;
    narrowed_[i] = {variable, low, high};
    return true;
  }
  if (count_ == std::ssize(narrowed_)) return false;
  narrowed_[count_++] = {variable, low, high};
  return true;
}

// The steps of read_term, which are small and frequent.
// Reads `left op constant` and steps to the left operand.
inline bool SimpleReader::step_left(NodeId& id, int64_t& number) const {
  const Node& node = nodes_[id];
  if (node.left < 0 || node.left != id - 2 || node.right != id - 1) return false;
  if (nodes_[node.right].op != Op::kConstant) return false;
  number = nodes_[node.right].value;
  id = node.left;
  return -kMaxNumber < number && number < kMaxNumber;
}

[[gnu::always_inline]] inline bool SimpleReader::read_variable(const Node& node,
                                                               SimpleTerm& term) const {
  if (!is_variable(node.op)) return false;
  const std::vector<Variable>* variables = &map_.dimensions;
  int64_t before = 0;
  if (node.op != Op::kDimension) {
    before = std::ssize(map_.dimensions);
    variables = &map_.ranges;
  }
  if (node.op == Op::kRuntime) {
    before += std::ssize(map_.ranges);
    variables = &map_.runtime;
  }
  if (static_cast<uint64_t>(node.value) >= variables->size()) return false;
  term.kind = node.op;
  term.number = node.value;
  term.variable = static_cast<int32_t>(before + node.value);
  const Interval& bounds = (*variables)[node.value].bounds;
  term.low = bounds.low;
  term.high = bounds.high;
  for (const Narrowed& it : *this) {
    if (it.variable != term.variable) continue;
    term.low = it.low;
    term.high = it.high;
  }
  return true;
}

[[gnu::always_inline]] inline bool SimpleReader::add(SimpleTerm& term, SimpleSum& sum) const {
  const int64_t low = term.low, high = term.high;
  if (term.divisor != 0) {
    if (!is_small(low) || !is_small(high)) return false;
    const int64_t cell = floor_quotient(low + term.inner, term.divisor);
    if (cell == floor_quotient(high + term.inner, term.divisor)) {  // one-cell
      if (term.inner != 0) return false;
      if (term.op == Op::kFloorDiv) return add_value(term.factor, cell, sum);
      if (!add_value(term.factor, -cell * term.divisor, sum)) return false;
      term.divisor = 0;  // v mod c = v - c * m
    } else if (high - low < 2) {
      return false;  // drop-small-part may find a cell for a multiple of v
    }
  }
  if (low == high) return add_value(term.factor, low, sum);
  const uint64_t variable = uint64_t{1} << (term.variable & 63);
  const bool may_repeat = term.factor != 1 || (sum.variables & variable) != 0;  // speed only
  for (int i = 0; may_repeat && i < sum.count; ++i) {
    const SimpleTerm& other = sum.terms[i];
    if (other.factor == term.factor && term.factor != 1) return false;
    if (other.variable == term.variable && (other.divisor == 0) == (term.divisor == 0)) {
      return false;
    }
  }
  if (sum.count == SimpleSum::kMaxTerms) return false;
  term.key = key_of(term);
  int at = sum.count++;
  for (; at > 0 && sum.terms[at - 1].key < term.key; --at) {
    sum.terms[at] = sum.terms[at - 1];
    sum.changed = true;
  }
  sum.terms[at] = term;
  sum.quotients += term.divisor != 0;
  sum.variables |= variable;
  return true;
}

bool SimpleReader::read_term(NodeId id, SimpleSum& sum) const {
  SimpleTerm term;
  term.factor = 1;
  term.divisor = term.inner = 0;
  if (nodes_[id].op == Op::kConstant) {
    sum.first = id;
    return add_value(1, nodes_[id].value, sum);
  }
  if (nodes_[id].op == Op::kMul) {
    if (!step_left(id, term.factor) || term.factor == 0) return false;
    sum.changed |= term.factor == 1;
  }
  term.op = nodes_[id].op;
  if (term.op == Op::kFloorDiv || term.op == Op::kMod) {
    if (!step_left(id, term.divisor) || term.divisor < 2) return false;
    if (nodes_[id].op == Op::kAdd &&
        (!step_left(id, term.inner) || term.inner % term.divisor == 0)) {
      return false;
    }
  }
  sum.first = id;
  return read_variable(nodes_[id], term) && add(term, sum);
}

bool SimpleReader::read(NodeId root, SimpleSum& sum) const {
  start(sum);
  return read_sum(root, sum);
}

bool SimpleReader::read_constraint(NodeId root, SimpleSum& sum) const {
  start(sum);
  NodeId id = root;
  if (nodes_[root].op == Op::kMod && (!step_left(id, sum.modulus) || sum.modulus < 2)) return false;
  return read_sum(id, sum);
}

bool SimpleReader::read_sum(NodeId id, SimpleSum& sum) const {
  if (nodes_[id].op == Op::kConstant) {
    sum.constant = nodes_[id].value;
    sum.first = id;
    return true;
  }
  bool last = true;
  while (nodes_[id].op == Op::kAdd) {
    const NodeId right = nodes_[id].right, left = nodes_[id].left;
    if (left < 0 || right < 0 || right != id - 1) return false;
    if (last && nodes_[right].op == Op::kConstant && nodes_[right].value != 0) {
      sum.constant = nodes_[right].value;
      sum.first = right;
    } else if (!read_term(right, sum)) {
      return false;
    }
    if (left != sum.first - 1) return false;
    last = false;
    id = left;
  }
  return read_term(id, sum);
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Known-wrong rules that simplify expressions. Each is the rule of a real system, with its
// precondition.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "conform/zoo/variants.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::zoo {
namespace {

using Answer = std::optional<NodeId>;
using By = Rewriting::By;
using Scaled = Rewriting::Scaled;
using Range = Rewriting::Range;

// Calls match(i, j) for every two terms in both orders until it returns a value.
template <class Match>
Answer any_pair(const std::vector<NodeId>& terms, Match match) {
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t j = 0; j < terms.size(); ++j) {
      const Answer answer = i == j ? std::nullopt : match(i, j);
      if (answer) return answer;
    }
  }
  return std::nullopt;
}

Answer floordiv_by(Rewriting& r, NodeId left, std::optional<int64_t> c) {
  if (!c || *c == 0) return std::nullopt;
  return r.floordiv(left, *c);
}

// ((a//p)*q + b//c)//e  ->  a//(c*(e//q))  if b//c < q. Uses the divisor c of the dropped term
// instead of p.
Answer stale_inner_divisor(Rewriting& r, NodeId id) {
  const std::optional<By> outer = r.by(Op::kFloorDiv, id);
  if (!outer) return std::nullopt;
  const std::vector<NodeId> terms = r.terms(outer->left);
  if (terms.size() != 2) return std::nullopt;
  return any_pair(terms, [&](size_t i, size_t j) -> Answer {
    const Scaled kept = r.scaled(terms[i]);
    const std::optional<By> a = r.by(Op::kFloorDiv, kept.expr);
    const std::optional<By> b = r.by(Op::kFloorDiv, terms[j]);
    if (!a || !b || kept.factor <= 1 || outer->c % kept.factor != 0) return std::nullopt;
    const Range range = r.range(terms[j]);
    if (range.low < 0 || range.high >= kept.factor) return std::nullopt;
    return floordiv_by(r, a->left, checked_mul(b->c, outer->c / kept.factor));
  });
}

// (a//b)//c  ->  a//(b*c)  if a >= 0. The condition should be c > 0.
Answer nested_quotients(Rewriting& r, NodeId id) {
  const std::optional<By> outer = r.by(Op::kFloorDiv, id);
  const std::optional<By> inner = outer ? r.by(Op::kFloorDiv, outer->left) : std::nullopt;
  if (!inner || r.range(inner->left).low < 0) return std::nullopt;
  return floordiv_by(r, inner->left, checked_mul(inner->c, outer->c));
}

// x mod c + (y//c)*c  ->  y, even if x differs from y.
Answer recombine_anything(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  return any_pair(terms, [&](size_t i, size_t j) -> Answer {
    const std::optional<By> low = r.by(Op::kMod, terms[i]);
    const Scaled high = r.scaled(terms[j]);
    const std::optional<By> quotient = r.by(Op::kFloorDiv, high.expr);
    if (!low || !quotient || low->c != quotient->c || high.factor != low->c) return std::nullopt;
    return r.sum_without(terms, i, j, quotient->left);
  });
}

// (g*x + y + z)//(g*e)  ->  (x + y//g + z//g)//e
Answer divide_each_summand(Rewriting& r, NodeId id) {
  const std::optional<By> outer = r.by(Op::kFloorDiv, id);
  if (!outer) return std::nullopt;
  const std::vector<NodeId> terms = r.terms(outer->left);
  if (terms.size() < 3) return std::nullopt;
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [x, g] = r.scaled(terms[i]);
    if (g <= 1 || outer->c % g != 0) continue;
    std::vector<NodeId> sum = {x};
    for (size_t j = 0; j < terms.size(); ++j) {
      if (j != i) sum.push_back(r.floordiv(terms[j], g));
    }
    return r.floordiv(r.sum(sum), outer->c / g);
  }
  return std::nullopt;
}

// (x ceildiv c)*c - x  ->  x mod c. The distance to the next multiple is (-x) mod c.
Answer distance_to_multiple(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  return any_pair(terms, [&](size_t i, size_t j) -> Answer {
    const auto [up, c] = r.scaled(terms[i]);
    if (c <= 1) return std::nullopt;
    const NodeId x =
        r.scaled(terms[j]).factor == -1 ? r.scaled(terms[j]).expr : r.times(terms[j], -1);
    const std::optional<By> ceil = r.by(Op::kCeilDiv, up), floor = r.by(Op::kFloorDiv, up);
    const bool rounded = (ceil && ceil->c == c && ceil->left == x) ||
                         (floor && floor->c == c && floor->left == r.with(Op::kAdd, x, c - 1));
    if (!rounded) return std::nullopt;
    return r.sum_without(terms, i, j, r.mod(x, c));
  });
}

// x - (x + y)//c  ->  ((c-1)*x - y)//c, which rounds the other way.
Answer subtract_quotient(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  return any_pair(terms, [&](size_t i, size_t j) -> Answer {
    const Scaled minus = r.scaled(terms[j]);
    const std::optional<By> quotient = r.by(Op::kFloorDiv, minus.expr);
    if (minus.factor != -1 || !quotient || quotient->c <= 1) return std::nullopt;
    std::vector<NodeId> inside = r.terms(quotient->left);
    const auto x = std::find(inside.begin(), inside.end(), terms[i]);
    if (x == inside.end()) return std::nullopt;
    inside.erase(x);
    for (NodeId& y : inside) y = r.times(y, -1);
    inside.push_back(r.times(terms[i], quotient->c - 1));
    return r.sum_without(terms, i, j, r.floordiv(r.sum(inside), quotient->c));
  });
}

// (x + c0)//c1 + c2  ->  (x + c0 + c1*c2)//c1, with the constant in 32 bits.
Answer constant_into_quotient(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  return any_pair(terms, [&](size_t i, size_t j) -> Answer {
    const std::optional<By> quotient = r.by(Op::kFloorDiv, terms[i]);
    const std::optional<int64_t> c2 = r.constant(terms[j]);
    if (!quotient || !c2) return std::nullopt;
    const std::optional<By> inside = r.by(Op::kAdd, quotient->left);
    const int64_t c0 = inside ? inside->c : 0;
    const uint64_t exact = uint64_t(c0) + uint64_t(quotient->c) * uint64_t(*c2);
    const NodeId x = inside ? inside->left : quotient->left;
    const NodeId moved = r.with(Op::kAdd, x, static_cast<int32_t>(static_cast<uint32_t>(exact)));
    return r.sum_without(terms, i, j, r.floordiv(moved, quotient->c));
  });
}

// (x*c1 + y) mod c2  ->  (x mod (c2/c1))*c1 + y  if y < c1, even if y is negative.
Answer pull_scale_out_of_mod(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  if (!mod || mod->c <= 0) return std::nullopt;
  const std::vector<NodeId> terms = r.terms(mod->left);
  if (terms.size() != 2) return std::nullopt;
  return any_pair(terms, [&](size_t i, size_t j) -> Answer {
    const auto [x, c1] = r.scaled(terms[i]);
    if (c1 <= 1 || mod->c % c1 != 0 || r.range(terms[j]).high >= c1) return std::nullopt;
    return r.plus(r.times(r.mod(x, mod->c / c1), c1), terms[j]);
  });
}

// ((i mod U)*s) mod m  ->  i mod (m/s), which loses the factor s.
Answer lost_scale(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  if (!mod) return std::nullopt;
  const auto [digit, s] = r.scaled(mod->left);
  const std::optional<By> inner = r.by(Op::kMod, digit);
  if (!inner || s <= 1 || mod->c % s != 0 || inner->c % (mod->c / s) != 0) return std::nullopt;
  return r.mod(inner->left, mod->c / s);
}

// e mod m  ->  e  if e is in [0, m-1] by a range analysis that does not swap the ends for a
// negative factor.
Answer ends_not_swapped(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  if (!mod || mod->c <= 0) return std::nullopt;
  absl::int128 low = 0, high = 0;
  for (NodeId term : r.terms(mod->left)) {
    const auto [x, k] = r.scaled(term);
    const Range range = r.range(x);
    if (range.low < INT64_MIN || range.high > INT64_MAX) return std::nullopt;
    low += range.low * k;
    high += range.high * k;
  }
  if (low < 0 || high >= mod->c) return std::nullopt;
  return mod->left;
}

// c0 mod c1  ->  c0 * c1
Answer mod_folded_as_product(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  const std::optional<int64_t> c0 = mod ? r.constant(mod->left) : std::nullopt;
  const std::optional<int64_t> product = c0 ? checked_mul(*c0, mod->c) : std::nullopt;
  if (!product) return std::nullopt;
  return r.number(*product);
}

// y - (x mod 2)  ->  y + (x mod 2) - 1
Answer parity_made_positive(Rewriting& r, NodeId id) {
  std::vector<NodeId> terms = r.terms(id);
  for (NodeId& term : terms) {
    const auto [digit, factor] = r.scaled(term);
    const std::optional<By> mod = r.by(Op::kMod, digit);
    if (terms.size() < 2 || factor != -1 || !mod || mod->c != 2) continue;
    term = digit;
    terms.push_back(r.number(-1));
    return r.sum(terms);
  }
  return std::nullopt;
}

// Replaces an expression that a constraint keeps in [low, high] by a variable in [0, high - low],
// and forgets to add `low` where the expression occurs again.
Answer offset_forgotten(Rewriting& r, NodeId id) {
  for (const Constraint& constraint : r.map().constraints) {
    const int64_t low = constraint.interval.low;
    if (is_leaf(r.map().nodes[constraint.expr].op) || low == 0 || low == INT64_MIN) continue;
    if (r.copy(r.map().nodes, constraint.expr) == id) return r.with(Op::kAdd, id, -low);
  }
  return std::nullopt;
}

// (x mod m) mod n  ->  x mod n, even if n does not divide m.
Answer nested_remainders(Rewriting& r, NodeId id) {
  const std::optional<By> outer = r.by(Op::kMod, id);
  const std::optional<By> inner = outer ? r.by(Op::kMod, outer->left) : std::nullopt;
  if (!inner) return std::nullopt;
  return r.mod(inner->left, outer->c);
}

// x // -b  ->  -(x // b)
Answer sign_out_of_quotient(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = r.by(Op::kFloorDiv, id);
  if (!quotient || quotient->c >= 0 || quotient->c == INT64_MIN) return std::nullopt;
  return r.times(r.floordiv(quotient->left, -quotient->c), -1);
}

// ((b//d) mod m)*k + (b//(d*m))*(m*k)  ->  (b//d)*k, even for negative m.
Answer recombine_quotients(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  return any_pair(terms, [&](size_t i, size_t j) -> Answer {
    const Scaled low = r.scaled(terms[i]), high = r.scaled(terms[j]);
    const std::optional<By> digit = r.by(Op::kMod, low.expr);
    const std::optional<By> inner = digit ? r.by(Op::kFloorDiv, digit->left) : std::nullopt;
    const std::optional<By> outer = r.by(Op::kFloorDiv, high.expr);
    if (!inner || !outer || inner->left != outer->left) return std::nullopt;
    if (checked_mul(inner->c, digit->c) != outer->c) return std::nullopt;
    if (checked_mul(digit->c, low.factor) != high.factor) return std::nullopt;
    return r.sum_without(terms, i, j, r.times(digit->left, low.factor));
  });
}

// x//d  ->  (x*m)>>s with m = 1 and s = 0, if 0 <= x <= v and v + 1 < d.
Answer magic_number_too_small(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = r.by(Op::kFloorDiv, id);
  if (!quotient) return std::nullopt;
  const Range range = r.range(quotient->left);
  if (range.low < 0 || range.high < range.low || range.high + 1 >= quotient->c) return std::nullopt;
  return quotient->left;
}

// x*k + x//c  ->  0. The original took k for the stride of x and dropped both terms.
Answer linear_term_only(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  return any_pair(terms, [&](size_t i, size_t j) -> Answer {
    const std::optional<By> quotient = r.by(Op::kFloorDiv, r.scaled(terms[j]).expr);
    const NodeId x = r.scaled(terms[i]).expr;
    if (!quotient || quotient->left != x || !is_variable(r.at(x).op)) return std::nullopt;
    return r.sum_without(terms, i, j, r.number(0));
  });
}

// The constant value of a sum whose variables cancel.
std::optional<int64_t> canceled(const Rewriting& r, NodeId id) {
  std::vector<Scaled> open = {{id, 1}}, left;
  int64_t constant = 0;
  while (!open.empty()) {
    const Scaled at = open.back();
    open.pop_back();
    const auto [expr, factor] = r.scaled(at.expr);
    if (std::abs(factor) > 1 << 20 || std::abs(at.factor) > 1 << 20) return std::nullopt;
    const Node& node = r.at(expr);
    if (node.op == Op::kAdd) {
      open.push_back({node.left, at.factor * factor});
      open.push_back({node.right, at.factor * factor});
    } else if (node.op == Op::kConstant) {
      if (std::abs(node.value) > 1 << 20) return std::nullopt;
      constant += node.value * at.factor * factor;
    } else {
      left.push_back({expr, 0});  // the search below finds it if there was no such term
      std::find_if(left.begin(), left.end(), [e = expr](const Scaled& s) {
        return s.expr == e;
      })->factor += at.factor * factor;
    }
    if (left.size() + open.size() > 100) return std::nullopt;
  }
  const bool all =
      std::all_of(left.begin(), left.end(), [](const Scaled& s) { return s.factor == 0; });
  return all ? std::optional(constant) : std::nullopt;
}

// q mod c with q = e//c: the coefficient of q becomes -c instead of 1 - c.
Answer coefficient_overwritten(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  const std::optional<By> quotient = mod ? r.by(Op::kFloorDiv, mod->left) : std::nullopt;
  if (!quotient || quotient->c != mod->c || mod->c <= 1) return std::nullopt;
  const std::optional<int64_t> e = canceled(r, quotient->left);
  if (!e || *e >= mod->c || *e < -mod->c) return std::nullopt;
  return r.times(mod->left, -mod->c);
}

// x + ((x//c) op -c)  ->  x mod c, for any op instead of only a product.
Answer any_operator(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  return any_pair(terms, [&](size_t i, size_t j) -> Answer {
    const Node node = r.at(terms[j]);
    const std::optional<int64_t> c = is_leaf(node.op) ? std::nullopt : r.constant(node.right);
    const std::optional<By> quotient = c ? r.by(Op::kFloorDiv, node.left) : std::nullopt;
    if (!quotient || quotient->left != terms[i] || quotient->c <= 0) return std::nullopt;
    if (*c != -quotient->c) return std::nullopt;
    return r.sum_without(terms, i, j, r.mod(terms[i], quotient->c));
  });
}

// (k*(x mod a)) mod m  ->  g*((k/g)*(x mod a)^2 mod (m/g)), with g = gcd(k, m).
Answer squared_remainder(Rewriting& r, NodeId id, bool whole) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  if (!mod || mod->c <= 0) return std::nullopt;
  const auto [digit, k] = r.scaled(mod->left);
  if (r.at(digit).op != Op::kMod || k <= 1) return std::nullopt;
  const int64_t g = std::gcd(k, mod->c);
  if (g <= 1 || whole != (g == k)) return std::nullopt;
  const NodeId square = r.make(Op::kMul, digit, digit);
  return r.times(r.mod(r.times(square, k / g), mod->c / g), g);
}

// x mod m  ->  x + offset  if all values of x are in one period. The product in
// offset = -m * floor(low / m) wraps.
Answer mod_by_subtraction(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  if (!mod || mod->c <= 0) return std::nullopt;
  const Range range = r.range(mod->left);
  if (range.low < INT64_MIN || range.high > INT64_MAX || range.low > range.high)
    return std::nullopt;
  const auto low = static_cast<int64_t>(range.low);
  const int64_t quotient = low / mod->c - (low % mod->c < 0 ? 1 : 0);
  const auto offset = static_cast<int64_t>(-uint64_t(mod->c) * uint64_t(quotient));
  const std::optional<int64_t> high = checked_add(static_cast<int64_t>(range.high), offset);
  if (!high || *high >= mod->c) return std::nullopt;
  return r.with(Op::kAdd, mod->left, offset);
}

const Variant kExpressionVariants[] = {
    {"XLA-SIMP-01", Rule(stale_inner_divisor)},
    {"XLA-SIMP-03", Rule(nested_quotients)},
    {"XLA-SIMP-06", Rule(recombine_anything)},
    {"XLA-SIMP-07", Rule(divide_each_summand)},
    {"HAL-01", Rule(distance_to_multiple)},
    {"HAL-08", Rule(subtract_quotient)},
    {"HAL-27", Rule(constant_into_quotient)},
    {"TVM-06", Rule(pull_scale_out_of_mod)},
    {"TVM-09", Rule(lost_scale)},
    {"TVM-10", Rule(ends_not_swapped)},
    {"TVM-23", Rule(mod_folded_as_product)},
    {"TVM-29", Rule(parity_made_positive)},
    {"TVM-30", ResultRule{offset_forgotten}},
    {"TVM-32", Rule(nested_remainders)},
    {"TG-01", Rule(sign_out_of_quotient)},
    {"TG-03", Rule(recombine_quotients)},
    {"TG-04", Rule(magic_number_too_small)},
    {"TG-12", Rule(linear_term_only)},
    {"MLIR-02", Rule(coefficient_overwritten)},
    {"MLIR-04", Rule(any_operator)},
    {"SYM-01", Rule([](Rewriting& r, NodeId id) { return squared_remainder(r, id, true); })},
    {"SYM-02", Rule([](Rewriting& r, NodeId id) { return squared_remainder(r, id, false); })},
    {"OPEN-10", Rule(mod_by_subtraction)},
};

}  // namespace

absl::Span<const Variant> expression_variants() { return kExpressionVariants; }

}  // namespace tileproof::zoo

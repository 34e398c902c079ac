// SPDX-License-Identifier: Apache-2.0
// Rules of simplifiers with one precondition left out, or one number off by one. The names M1, D1,
// .. are those of the facts about XLA's simplifier.
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "conform/zoo/variants.h"

namespace tileproof::zoo {
namespace {

using Answer = std::optional<NodeId>;
using By = Rewriting::By;
using Range = Rewriting::Range;

std::optional<By> mod_of(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  return mod && mod->c > 0 ? mod : std::nullopt;
}

std::optional<By> quotient_of(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = r.by(Op::kFloorDiv, id);
  return quotient && quotient->c > 0 ? quotient : std::nullopt;
}

// A sum as one multiple of g > 1 and the other terms.
struct Multiple {
  NodeId x;
  int64_t g;
  NodeId rest;
};

std::optional<Multiple> first_multiple(Rewriting& r, NodeId sum) {
  const std::vector<NodeId> terms = r.terms(sum);
  for (size_t i = 0; terms.size() >= 2 && i < terms.size(); ++i) {
    const auto [x, g] = r.scaled(terms[i]);
    if (g > 1) return Multiple{x, g, r.sum_without(terms, i, i, r.number(0))};
  }
  return std::nullopt;
}

// ---- Remainders ----

// M2: x mod m -> x if 0 <= x <= m. The value m is one too many.
Answer m2_includes_modulus(Rewriting& r, NodeId id) {
  const std::optional<By> mod = mod_of(r, id);
  if (!mod) return std::nullopt;
  const Range range = r.range(mod->left);
  if (range.low < 0 || range.high > mod->c) return std::nullopt;
  return mod->left;
}

// M2: x mod m -> x - m * (low floordiv m) if x has at most m values. They may lie in two periods.
Answer m2_two_periods(Rewriting& r, NodeId id) {
  const std::optional<By> mod = mod_of(r, id);
  if (!mod) return std::nullopt;
  const Range range = r.range(mod->left);
  const bool small = range.low > -(int64_t{1} << 60) && range.high < int64_t{1} << 60;
  if (!small || range.high < range.low || range.high - range.low >= mod->c) return std::nullopt;
  const auto low = static_cast<int64_t>(range.low);
  const int64_t period = low / mod->c - (low % mod->c < 0 ? 1 : 0);
  return r.with(Op::kAdd, mod->left, -period * mod->c);
}

// M3: (x * a) mod m -> (x mod (m / a)) * a, even if a does not divide m.
Answer m3_not_divisible(Rewriting& r, NodeId id) {
  const std::optional<By> mod = mod_of(r, id);
  if (!mod) return std::nullopt;
  const auto [x, a] = r.scaled(mod->left);
  if (a <= 1 || mod->c / a == 0) return std::nullopt;
  return r.times(r.mod(x, mod->c / a), a);
}

// M4: drops a summand of a remainder if its factor divides m. The factor must be a multiple of m.
Answer m4_swapped(Rewriting& r, NodeId id) {
  const std::optional<By> mod = mod_of(r, id);
  const std::optional<Multiple> sum = mod ? first_multiple(r, mod->left) : std::nullopt;
  if (!sum || mod->c % sum->g != 0) return std::nullopt;
  return r.mod(sum->rest, mod->c);
}

// M5: (g*x + b) mod m -> (x mod (m/g)) * g if 0 <= b < g, which loses b.
Answer m5_rest_lost(Rewriting& r, NodeId id) {
  const std::optional<By> mod = mod_of(r, id);
  const std::optional<Multiple> sum = mod ? first_multiple(r, mod->left) : std::nullopt;
  if (!sum || mod->c % sum->g != 0) return std::nullopt;
  const Range b = r.range(sum->rest);
  if (b.low < 0 || b.high >= sum->g) return std::nullopt;
  return r.times(r.mod(sum->x, mod->c / sum->g), sum->g);
}

// M6: (g*x + b) mod m -> (g*x) mod m + b if 0 <= b <= g. The value g is one too many.
Answer m6_includes_factor(Rewriting& r, NodeId id) {
  const std::optional<By> mod = mod_of(r, id);
  const std::optional<Multiple> sum = mod ? first_multiple(r, mod->left) : std::nullopt;
  if (!sum || mod->c % sum->g != 0) return std::nullopt;
  const Range b = r.range(sum->rest);
  if (b.low < 0 || b.high > sum->g) return std::nullopt;
  return r.plus(r.mod(r.times(sum->x, sum->g), mod->c), sum->rest);
}

// (g*x + b) mod m -> (x mod (m/g)) * g + b with a constant b below m. It must be below g.
Answer constant_below_modulus(Rewriting& r, NodeId id) {
  const std::optional<By> mod = mod_of(r, id);
  const std::optional<Multiple> sum = mod ? first_multiple(r, mod->left) : std::nullopt;
  if (!sum) return std::nullopt;
  const int64_t g = std::gcd(sum->g, mod->c);
  const std::optional<int64_t> b = r.constant(sum->rest);
  if (g <= 1 || !b || *b < 0 || *b >= mod->c) return std::nullopt;
  return r.plus(r.times(r.mod(r.times(sum->x, sum->g / g), mod->c / g), g), sum->rest);
}

// (x mod -k) mod m -> x mod -k: takes the range of x mod -k for a range without negative values.
Answer negative_modulus(Rewriting& r, NodeId id) {
  const std::optional<By> outer = mod_of(r, id);
  const std::optional<By> inner = outer ? r.by(Op::kMod, outer->left) : std::nullopt;
  if (!inner || inner->c >= 0) return std::nullopt;
  return outer->left;
}

// ---- Quotients ----

// D1: (x mod c) floordiv d -> (x floordiv d) mod (c / d), even if d does not divide c.
Answer d1_not_divisible(Rewriting& r, NodeId id) {
  const std::optional<By> outer = quotient_of(r, id);
  const std::optional<By> inner = outer ? mod_of(r, outer->left) : std::nullopt;
  if (!inner || inner->c / outer->c == 0 || outer->c == 1) return std::nullopt;
  return r.mod(r.floordiv(inner->left, outer->c), inner->c / outer->c);
}

// D1: (x mod c) floordiv d -> x floordiv d, which forgets the outer remainder.
Answer d1_modulus_lost(Rewriting& r, NodeId id) {
  const std::optional<By> outer = quotient_of(r, id);
  const std::optional<By> inner = outer ? mod_of(r, outer->left) : std::nullopt;
  if (!inner || inner->c % outer->c != 0 || outer->c == 1) return std::nullopt;
  return r.floordiv(inner->left, outer->c);
}

// D3: (k*x + y) floordiv d -> x * (k / d) + y floordiv d for k > d, even if d does not divide k.
Answer d3_not_divisible(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = quotient_of(r, id);
  const std::optional<Multiple> sum = quotient ? first_multiple(r, quotient->left) : std::nullopt;
  if (!sum || sum->g <= quotient->c) return std::nullopt;
  return r.plus(r.times(sum->x, sum->g / quotient->c), r.floordiv(sum->rest, quotient->c));
}

// D4: (g*x + b) floordiv d -> x * (g/h) floordiv (d/h), h = gcd(g, d), if low <= b < limit.
Answer drop_rest(Rewriting& r, NodeId id, bool negative) {
  const std::optional<By> quotient = quotient_of(r, id);
  const std::optional<Multiple> sum = quotient ? first_multiple(r, quotient->left) : std::nullopt;
  if (!sum) return std::nullopt;
  const int64_t h = std::gcd(sum->g, quotient->c);
  const Range b = r.range(sum->rest);
  const bool fits = negative ? b.low > -h && b.high < h : b.low >= 0 && b.high < sum->g;
  if (h == 1 || !fits) return std::nullopt;
  return r.floordiv(r.times(sum->x, sum->g / h), quotient->c / h);
}

// D6: (a floordiv c + b floordiv c) floordiv d -> (a + b) floordiv (c * d), which adds a carry.
Answer d6_two_quotients(Rewriting& r, NodeId id) {
  const std::optional<By> outer = quotient_of(r, id);
  const std::vector<NodeId> terms = outer ? r.terms(outer->left) : std::vector<NodeId>();
  if (terms.size() != 2 || outer->c > 1 << 20) return std::nullopt;
  const std::optional<By> a = quotient_of(r, terms[0]), b = quotient_of(r, terms[1]);
  if (!a || !b || a->c != b->c || a->c > 1 << 20) return std::nullopt;
  return r.floordiv(r.plus(a->left, b->left), a->c * outer->c);
}

// (-x) floordiv c -> -(x floordiv c), which rounds the other way. Also for c0 - x.
Answer sign_out_of_dividend(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = quotient_of(r, id);
  if (!quotient || quotient->c == 1) return std::nullopt;
  bool all = false;
  for (NodeId term : r.terms(quotient->left)) {
    if (r.constant(term)) continue;
    if (r.scaled(term).factor >= 0) return std::nullopt;
    all = true;
  }
  if (!all) return std::nullopt;
  std::vector<NodeId> negated;
  for (NodeId term : r.terms(quotient->left)) negated.push_back(r.times(term, -1));
  return r.times(r.floordiv(r.sum(negated), quotient->c), -1);
}

// x ceildiv c -> (x + c) floordiv c. It must be c - 1.
Answer ceildiv_off_by_one(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = r.by(Op::kCeilDiv, id);
  if (!quotient || quotient->c <= 1) return std::nullopt;
  return r.floordiv(r.with(Op::kAdd, quotient->left, quotient->c), quotient->c);
}

// x ceildiv c -> (x + c - 1) floordiv c, also for c < 0.
Answer ceildiv_by_negative(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = r.by(Op::kCeilDiv, id);
  if (!quotient || quotient->c >= 0 || quotient->c == INT64_MIN) return std::nullopt;
  return r.floordiv(r.with(Op::kAdd, quotient->left, quotient->c - 1), quotient->c);
}

// x floordiv -1 -> x
Answer divided_by_minus_one(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = r.by(Op::kFloorDiv, id);
  if (!quotient || quotient->c != -1) return std::nullopt;
  return quotient->left;
}

// ---- Sums ----

// X1: (x + c) * k -> x * k + c
Answer x1_constant_unscaled(Rewriting& r, NodeId id) {
  const auto [sum, k] = r.scaled(id);
  const std::optional<By> added = r.by(Op::kAdd, sum);
  if (!added || k == 1) return std::nullopt;
  return r.with(Op::kAdd, r.times(added->left, k), added->c);
}

// S2: (x mod c)*k + (x floordiv c)*f -> x*k if k divides f. It must be f = c*k.
Answer s2_other_factor(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [low, k] = r.scaled(terms[i]);
    const std::optional<By> mod = mod_of(r, low);
    for (size_t j = 0; mod && k > 0 && j < terms.size(); ++j) {
      const auto [high, f] = r.scaled(terms[j]);
      const std::optional<By> quotient = quotient_of(r, high);
      const bool same = quotient && quotient->c == mod->c && quotient->left == mod->left;
      if (i != j && same && f > 0 && f % k == 0) {
        return r.sum_without(terms, i, j, r.times(mod->left, k));
      }
    }
  }
  return std::nullopt;
}

// S3: x - (x floordiv c)*c -> -(x mod c)
Answer s3_sign_lost(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [high, f] = r.scaled(terms[i]);
    const std::optional<By> quotient = quotient_of(r, high);
    for (size_t j = 0; quotient && f == -quotient->c && j < terms.size(); ++j) {
      if (i == j || terms[j] != quotient->left) continue;
      return r.sum_without(terms, i, j, r.times(r.mod(quotient->left, quotient->c), -1));
    }
  }
  return std::nullopt;
}

// x - x mod c -> x floordiv c, which forgets the factor.
Answer rounded_down_unscaled(Rewriting& r, NodeId id) {
  const std::vector<NodeId> terms = r.terms(id);
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [low, k] = r.scaled(terms[i]);
    const std::optional<By> mod = mod_of(r, low);
    for (size_t j = 0; mod && k == -1 && mod->c > 1 && j < terms.size(); ++j) {
      if (i == j || terms[j] != mod->left) continue;
      return r.sum_without(terms, i, j, r.floordiv(mod->left, mod->c));
    }
  }
  return std::nullopt;
}

// The constant that one sum has more than another, if the rest is the same.
std::optional<int64_t> constant_difference(Rewriting& r, NodeId a, NodeId b) {
  const std::optional<By> x = r.by(Op::kAdd, a), y = r.by(Op::kAdd, b);
  const NodeId of_a = x ? x->left : a, of_b = y ? y->left : b;
  if (of_a != of_b || r.constant(of_a)) return std::nullopt;
  return (x ? x->c : 0) - (y ? y->c : 0);
}

// (x + a) op c - (x + b) op c -> the value for multiples of c.
Answer difference_of_digits(Rewriting& r, NodeId id, Op op) {
  const std::vector<NodeId> terms = r.terms(id);
  for (size_t i = 0; i < terms.size(); ++i) {
    const std::optional<By> left = r.by(op, terms[i]);
    for (size_t j = 0; left && left->c > 1 && j < terms.size(); ++j) {
      const auto [digit, k] = r.scaled(terms[j]);
      const std::optional<By> right = k == -1 ? r.by(op, digit) : std::nullopt;
      if (i == j || !right || right->c != left->c) continue;
      const std::optional<int64_t> more = constant_difference(r, left->left, right->left);
      if (!more || *more <= 0 || *more % left->c == 0) continue;
      const int64_t value = op == Op::kMod ? *more % left->c : *more / left->c;
      return r.sum_without(terms, i, j, r.number(value));
    }
  }
  return std::nullopt;
}

const Variant kExpressionRuleVariants[] = {
    {"RULE-M2", Rule(m2_includes_modulus)},
    {"RULE-M2-PERIOD", Rule(m2_two_periods)},
    {"RULE-M3", Rule(m3_not_divisible)},
    {"RULE-M4", Rule(m4_swapped)},
    {"RULE-M5", Rule(m5_rest_lost)},
    {"RULE-M6", Rule(m6_includes_factor)},
    {"RULE-M-CONSTANT", Rule(constant_below_modulus)},
    {"FACT-MOD-RANGE", Rule(negative_modulus)},
    {"RULE-D1", Rule(d1_not_divisible)},
    {"RULE-D1-MOD", Rule(d1_modulus_lost)},
    {"RULE-D3", Rule(d3_not_divisible)},
    {"RULE-D4", Rule([](Rewriting& r, NodeId id) { return drop_rest(r, id, false); })},
    {"RULE-D4-SIGN", Rule([](Rewriting& r, NodeId id) { return drop_rest(r, id, true); })},
    {"RULE-D6", Rule(d6_two_quotients)},
    {"RULE-D-SIGN", Rule(sign_out_of_dividend)},
    {"RULE-CEIL", Rule(ceildiv_off_by_one)},
    {"RULE-CEIL-SIGN", Rule(ceildiv_by_negative)},
    {"RULE-D-MINUS", Rule(divided_by_minus_one)},
    {"RULE-X1", Rule(x1_constant_unscaled)},
    {"RULE-S2", Rule(s2_other_factor)},
    {"RULE-S3", Rule(s3_sign_lost)},
    {"RULE-ROUND", Rule(rounded_down_unscaled)},
    {"RULE-DIV-DIFF",
     Rule([](Rewriting& r, NodeId id) { return difference_of_digits(r, id, Op::kFloorDiv); })},
    {"RULE-MOD-DIFF",
     Rule([](Rewriting& r, NodeId id) { return difference_of_digits(r, id, Op::kMod); })},
};

}  // namespace

absl::Span<const Variant> expression_rule_variants() { return kExpressionRuleVariants; }

}  // namespace tileproof::zoo

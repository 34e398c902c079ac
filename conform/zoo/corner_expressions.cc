// SPDX-License-Identifier: Apache-2.0
// Rules that are right but for one corner: a sign, an end of a range, a width of integers. Each
// carries the mistake of a bug of the list (zoo.tsv) to the arithmetic of maps.
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "conform/zoo/rule_parts.h"
#include "conform/zoo/variants.h"

namespace tileproof::zoo {
namespace {

using Answer = std::optional<NodeId>;
using By = Rewriting::By;
using Range = Rewriting::Range;

constexpr int64_t kLarge = int64_t{1} << 60;

bool is_bounded(const Range& r) { return r.low <= r.high && r.low > -kLarge && r.high < kLarge; }

// Matches `left op c` with c > 1.
std::optional<By> above_one(Rewriting& r, Op op, NodeId id) {
  const std::optional<By> matched = r.by(op, id);
  return matched && matched->c > 1 ? matched : std::nullopt;
}

// ---- Signs ----

// (x * -k) mod m -> -((x * k) mod m) if k divides m.
Answer sign_out_of_remainder(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod) return std::nullopt;
  const auto [x, k] = r.scaled(mod->left);
  if (k >= 0 || !is_small(k) || mod->c % k != 0) return std::nullopt;
  return r.times(r.mod(r.times(x, -k), mod->c), -1);
}

// x mod m -> x if -m < x <= 0, as a remainder that truncates.
Answer truncated_range(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod) return std::nullopt;
  const Range range = r.range(mod->left);
  if (!is_bounded(range) || range.high > 0 || range.low <= -mod->c) return std::nullopt;
  return mod->left;
}

// (x * -k) floordiv c -> 0 if 0 <= x * k < c.
Answer negative_factor_ignored(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient) return std::nullopt;
  const auto [x, k] = r.scaled(quotient->left);
  const Range range = r.range(x);
  if (k >= 0 || !is_small(k) || !is_bounded(range)) return std::nullopt;
  if (range.low < 0 || range.high * -k >= quotient->c) return std::nullopt;
  return r.number(0);
}

// (x*a + b) mod (a*c) -> (x mod c)*a + b if -a < b < a. Right only if b >= 0.
Answer negative_rest(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  const std::optional<By> sum = mod ? r.by(Op::kAdd, mod->left) : std::nullopt;
  if (!sum) return std::nullopt;
  const auto [x, a] = r.scaled(sum->left);
  if (a < 2 || mod->c % a != 0 || sum->c >= a || sum->c <= -a) return std::nullopt;
  return r.with(Op::kAdd, r.times(r.mod(x, mod->c / a), a), sum->c);
}

// x floordiv c -> -((-x) floordiv c) if x < 0 everywhere: a shift of the magnitude.
Answer quotient_of_magnitude(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient) return std::nullopt;
  const Range range = r.range(quotient->left);
  if (!is_bounded(range) || range.high >= 0) return std::nullopt;
  return r.times(r.floordiv(r.times(quotient->left, -1), quotient->c), -1);
}

// (-x) mod m -> m - x mod m. Wrong for multiples of m.
Answer complement(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod || !is_small(mod->c)) return std::nullopt;
  const auto [x, k] = r.scaled(mod->left);
  if (k != -1) return std::nullopt;
  return r.with(Op::kAdd, r.times(r.mod(x, mod->c), -1), mod->c);
}

// x mod -m -> -(x mod m)
Answer sign_out_of_modulus(Rewriting& r, NodeId id) {
  const std::optional<By> mod = r.by(Op::kMod, id);
  if (!mod || mod->c >= -1 || !is_small(mod->c)) return std::nullopt;
  return r.times(r.mod(mod->left, -mod->c), -1);
}

// (x + c) floordiv d -> (x + c rem d) floordiv d + c quo d, with a remainder that is never negative
// and a quotient that truncates. Right for c >= 0 and for multiples of d.
Answer constant_split_by_truncation(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  const std::optional<By> sum = quotient ? r.by(Op::kAdd, quotient->left) : std::nullopt;
  if (!sum || !is_small(sum->c) || !is_small(quotient->c)) return std::nullopt;
  const int64_t d = quotient->c, rest = ((sum->c % d) + d) % d;
  if (sum->c / d == 0) return std::nullopt;
  return r.with(Op::kAdd, r.floordiv(r.with(Op::kAdd, sum->left, rest), d), sum->c / d);
}

// ---- Ends of ranges ----

// (x floordiv -k) mod m -> x floordiv -k if the quotients of the ends, not swapped, are in range.
Answer quotient_range_not_swapped(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  const std::optional<By> quotient = mod ? r.by(Op::kFloorDiv, mod->left) : std::nullopt;
  if (!quotient || quotient->c >= 0 || !is_small(quotient->c)) return std::nullopt;
  const Range range = r.range(quotient->left);
  if (!is_bounded(range)) return std::nullopt;
  const int64_t low = floor_of(static_cast<int64_t>(range.low), quotient->c),
                high = floor_of(static_cast<int64_t>(range.high), quotient->c);
  if (low < 0 || high >= mod->c) return std::nullopt;
  return mod->left;
}

// (g*x + y) floordiv d -> (g*x) floordiv d if 0 <= y < d. It must be y < gcd(g, d).
Answer rest_below_divisor(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient || r.at(quotient->left).op != Op::kAdd) return std::nullopt;
  const std::vector<NodeId> terms = r.terms(quotient->left);
  if (terms.size() != 2) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t g = r.scaled(terms[i]).factor;
    const Range y = r.range(terms[1 - i]);
    if (g < 2 || y.low < 0 || y.high >= quotient->c || y.high == 0) continue;
    return r.floordiv(terms[i], quotient->c);
  }
  return std::nullopt;
}

// x mod m -> x - m if m <= x <= 2*m. The value 2*m is one too many.
Answer second_period_includes_end(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod || !is_small(mod->c)) return std::nullopt;
  const Range range = r.range(mod->left);
  if (range.low > range.high || range.low < mod->c || range.high > 2 * mod->c) return std::nullopt;
  return r.with(Op::kAdd, mod->left, -mod->c);
}

// x mod m -> x + m if -m - 1 <= x < 0. The value -m - 1 is one too many.
Answer negative_period_includes_end(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod || !is_small(mod->c)) return std::nullopt;
  const Range range = r.range(mod->left);
  if (range.low > range.high || range.low < -mod->c - 1 || range.high >= 0) return std::nullopt;
  return r.with(Op::kAdd, mod->left, mod->c);
}

// x ceildiv c -> x floordiv c + 1 if x >= 1. Wrong for multiples of c.
Answer ceildiv_always_above(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kCeilDiv, id);
  if (!quotient) return std::nullopt;
  const Range range = r.range(quotient->left);
  if (!is_bounded(range) || range.low < 1) return std::nullopt;
  return r.with(Op::kAdd, r.floordiv(quotient->left, quotient->c), 1);
}

// ---- Numbers ----

// (x*k + c) mod m -> c mod g with g = gcd(k, m) > 1. Right only if k is a multiple of m.
Answer residue_of_the_gcd(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  const std::optional<By> sum = mod ? r.by(Op::kAdd, mod->left) : std::nullopt;
  if (!sum) return std::nullopt;
  const int64_t k = r.scaled(sum->left).factor;
  if (k < 2 || !is_small(k)) return std::nullopt;
  const int64_t g = std::gcd(k, mod->c);
  if (g == 1) return std::nullopt;
  return r.mod(r.number(sum->c), g);
}

// ((x mod m)*k) floordiv d -> ((x*k) floordiv d) mod (m*k floordiv d). d must divide m*k.
Answer scaled_remainder_not_divisible(Rewriting& r, NodeId id) {
  const std::optional<By> quotient = above_one(r, Op::kFloorDiv, id);
  if (!quotient) return std::nullopt;
  const auto [inner, k] = r.scaled(quotient->left);
  const std::optional<By> mod = above_one(r, Op::kMod, inner);
  if (!mod || k < 2 || !is_small(k) || !is_small(mod->c)) return std::nullopt;
  const int64_t modulus = mod->c * k / quotient->c;
  if (modulus < 1) return std::nullopt;
  return r.mod(r.floordiv(r.times(mod->left, k), quotient->c), modulus);
}

// (x floordiv a)*b + x mod b -> x for any a.
Answer other_divisor_recombined(Rewriting& r, NodeId id) {
  if (r.at(id).op != Op::kAdd) return std::nullopt;
  const std::vector<NodeId> terms = r.terms(id);
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t j = 0; j < terms.size(); ++j) {
      const auto [digit, b] = r.scaled(terms[i]);
      const std::optional<By> quotient = above_one(r, Op::kFloorDiv, digit);
      const std::optional<By> mod = above_one(r, Op::kMod, terms[j]);
      if (i == j || !quotient || !mod || mod->c != b || mod->left != quotient->left) continue;
      return r.sum_without(terms, i, j, mod->left);
    }
  }
  return std::nullopt;
}

// (x floordiv a) ceildiv b -> x ceildiv (a*b), and the same with both roundings exchanged.
Answer mixed_roundings(Rewriting& r, NodeId id) {
  for (const auto& [outer, inner] :
       {std::pair(Op::kCeilDiv, Op::kFloorDiv), {Op::kFloorDiv, Op::kCeilDiv}}) {
    const std::optional<By> second = above_one(r, outer, id);
    const std::optional<By> first = second ? above_one(r, inner, second->left) : std::nullopt;
    if (!first || !is_small(first->c) || !is_small(second->c)) continue;
    return r.with(outer, first->left, first->c * second->c);
  }
  return std::nullopt;
}

// Stores a divisor in 32 bits.
Answer divisor_in_32_bits(Rewriting& r, NodeId id) {
  for (Op op : {Op::kFloorDiv, Op::kCeilDiv, Op::kMod}) {
    const std::optional<By> division = r.by(op, id);
    if (!division || static_cast<int32_t>(division->c) == division->c) continue;
    const auto narrow = static_cast<int32_t>(division->c);
    if (narrow != 0) return r.with(op, division->left, narrow);
  }
  return std::nullopt;
}

// x mod m -> x if x >= 0 and its upper end, in 32 bits, is below m.
Answer bound_in_32_bits(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod) return std::nullopt;
  const Range range = r.range(mod->left);
  if (!is_bounded(range) || range.low < 0) return std::nullopt;
  const auto high = static_cast<int32_t>(static_cast<int64_t>(range.high));
  return high < mod->c ? Answer(mod->left) : std::nullopt;
}

// Stores a factor in 16 bits.
Answer factor_in_16_bits(Rewriting& r, NodeId id) {
  const std::optional<By> product = r.by(Op::kMul, id);
  if (!product || product->c < 1 << 16) return std::nullopt;
  const int64_t narrow = product->c & 0xffff;
  return narrow == 0 ? r.number(0) : r.times(product->left, narrow);
}

// The bounds of dimension i serve for range variable i.
Answer bounds_by_position(Rewriting& r, NodeId id) {
  const std::optional<By> mod = above_one(r, Op::kMod, id);
  if (!mod) return std::nullopt;
  const Node& x = r.at(mod->left);
  if (x.op != Op::kRange || x.value >= std::ssize(r.map().dimensions)) return std::nullopt;
  const Interval bounds = r.map().dimensions[x.value].bounds;
  if (bounds.low < 0 || bounds.high >= mod->c || bounds.low > bounds.high) return std::nullopt;
  return mod->left;
}

// A variable with one value below 0 is taken for 0.
Answer negative_point(Rewriting& r, NodeId id) {
  const Node node = r.at(id);
  Answer found;
  const auto without = [&](NodeId operand) {
    if (!is_variable(r.at(operand).op)) return operand;
    const Range range = r.range(operand);
    if (range.low != range.high || range.low >= 0) return operand;
    found = operand;
    return r.number(0);
  };
  const NodeId left = without(node.left), right = without(node.right);
  return found ? Answer(r.make(node.op, left, right)) : std::nullopt;
}

const Variant kCornerExpressionVariants[] = {
    {"LIKE-XLA-SIMP-04", Rule(sign_out_of_remainder)},
    {"LIKE-TVM-20", Rule(truncated_range)},
    {"LIKE-HAL-09", Rule(negative_factor_ignored)},
    {"LIKE-HAL-05", Rule(negative_rest)},
    {"LIKE-HAL-20", Rule(quotient_of_magnitude)},
    {"LIKE-MLIR-03", Rule(complement)},
    {"LIKE-TG-13", Rule(sign_out_of_modulus)},
    {"LIKE-IND-01", Rule(constant_split_by_truncation)},
    {"LIKE-TVM-13", Rule(quotient_range_not_swapped)},
    {"LIKE-XLA-SIMP-08", Rule(rest_below_divisor)},
    {"LIKE-HAL-06", Rule(second_period_includes_end)},
    {"LIKE-HAL-06-SIGN", Rule(negative_period_includes_end)},
    {"LIKE-MLIR-13", Rule(ceildiv_always_above)},
    {"LIKE-HAL-11", Rule(residue_of_the_gcd)},
    {"LIKE-SYM-02", Rule(scaled_remainder_not_divisible)},
    {"LIKE-TVM-33", Rule(other_divisor_recombined)},
    {"LIKE-TG-07", Rule(mixed_roundings)},
    {"LIKE-XLA-ST-05", Rule(divisor_in_32_bits)},
    {"LIKE-TVM-03", Rule(bound_in_32_bits)},
    {"LIKE-CAT-09", Rule(factor_in_16_bits)},
    {"LIKE-OPEN-12", Rule(bounds_by_position)},
    {"LIKE-CAT-10", Rule(negative_point)},
};

}  // namespace

absl::Span<const Variant> corner_expression_variants() { return kCornerExpressionVariants; }

}  // namespace tileproof::zoo

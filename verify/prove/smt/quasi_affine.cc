// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/quasi_affine.h"

#include <algorithm>
#include <functional>
#include <set>

#include "absl/types/span.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

using spec::Exact;
using spec::exact;

constexpr size_t kMostTerms = 4096;  // of a product of sums

Sum too_large() {
  Sum sum;
  sum.too_large = true;
  return sum;
}

// Adds `more` to `number`. Marks the sum as too large if that overflows.
void add_to(Wide& number, Wide more, Sum& sum) {
  if (__builtin_add_overflow(number, more, &number)) sum.too_large = true;
}

Wide floor_of(Wide x, Wide c) { return *floordiv(exact(x), exact(c)).value; }

Sum scaled(const Sum& a, Wide factor) {
  if (factor == 0) return Sum{a.context, {}, 0, a.too_large};
  Sum result = a;
  for (auto& [product, coefficient] : result.terms) {
    if (__builtin_mul_overflow(coefficient, factor, &coefficient)) return too_large();
  }
  if (__builtin_mul_overflow(result.constant, factor, &result.constant)) return too_large();
  return result;
}

// A number below kHalf minus a divisor below kHalf fits 127 bits.
constexpr Wide kHalf = Wide{1} << 126;
bool within_half(const Sum& x) {
  return -kHalf <= x.constant && x.constant <= kHalf &&
         std::ranges::all_of(x.terms, [](const auto& term) {
           return -kHalf <= term.second && term.second <= kHalf;
         });
}

Range operator+(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high}; }

// From the least to the greatest of the four products of ends, if all ends are known.
Range operator*(const Range& a, const Range& b) {
  Range result{a.low * b.low, a.low * b.low};
  for (const Exact& x : {a.low, a.high}) {
    for (const Exact& y : {b.low, b.high}) {
      const Exact p = x * y;
      if (!p.value || !result.low.value) return {};
      result.low = exact(std::min(*result.low.value, *p.value));
      result.high = exact(std::max(*result.high.value, *p.value));
    }
  }
  return result;
}

struct Variables {
  QuasiAffineContext& context;
  const IndexingMap& map;

  Sum constant(int64_t value) const { return context.number(value); }
  Sum variable(Op kind, int64_t number) const {
    int64_t before = 0;
    if (kind != Op::kDimension) before += std::ssize(map.dimensions);
    if (kind == Op::kRuntime) before += std::ssize(map.ranges);
    return context.atom(static_cast<int32_t>(before + number));
  }
};

}  // namespace

Wide gcd(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a < 0 ? -a : a;
}

Sum operator+(const Sum& a, const Sum& b) {
  if (a.too_large || b.too_large) return too_large();
  Sum result = a.terms.size() >= b.terms.size() ? a : b;
  const Sum& other = a.terms.size() >= b.terms.size() ? b : a;
  if (result.context == nullptr) result.context = other.context;
  if (!lemmas::add_terms(result.terms, other.terms)) return too_large();
  add_to(result.constant, other.constant, result);
  return result;
}

Sum operator-(const Sum& a) { return scaled(a, -1); }
Sum operator-(const Sum& a, const Sum& b) { return a + -b; }

Sum operator*(const Sum& a, const Sum& b) {
  if (a.too_large || b.too_large) return too_large();
  if (b.is_number()) return scaled(a, b.constant);
  if (a.is_number()) return scaled(b, a.constant);
  if (a.terms.size() * b.terms.size() > kMostTerms) return too_large();
  Sum result = scaled(a, b.constant) + scaled(Sum{b.context, b.terms, 0, false}, a.constant);
  if (!lemmas::add_product(result.terms, a.terms, b.terms)) return too_large();
  return result;
}

Sum floordiv(const Sum& x, const Sum& c) {
  if (x.too_large || !c.is_number() || c.constant == 0) return too_large();
  if (x.is_number()) {
    const Exact value = floordiv(exact(x.constant), exact(c.constant));
    return value.value ? Sum{x.context, {}, *value.value, false} : too_large();
  }
  const Sum dividend = c.constant > 0 ? x : -x;
  if (dividend.too_large) return dividend;
  const Wide divisor = c.constant > 0 ? c.constant : -c.constant;
  Sum result = x.context->quotient(dividend, divisor);
  if (x.context->listener() != nullptr) x.context->listener()->use_floor(dividend, divisor);
  return result;
}

Sum residue(const Sum& x, Wide g) {
  Sum rest{x.context, {}, 0, false};
  if (x.too_large || !within_half(x)) return too_large();
  for (const auto& [product, coefficient] : x.terms) {
    const Wide up = coefficient - floor_of(coefficient, g) * g;
    const Wide small = up > g / 2 ? up - g : up;
    if (small != 0) rest.terms.emplace(product, small);
  }
  rest.constant = x.constant - floor_of(x.constant, g) * g;
  return rest;
}

Sum mod(const Sum& x, const Sum& c) { return x - c * floordiv(x, c); }

QuasiAffineContext::QuasiAffineContext(const std::vector<Interval>& bounds, StepListener* listener)
    : listener_(listener) {
  for (const Interval& interval : bounds) {
    atoms_.push_back({{exact(interval.low), exact(interval.high)}, {}, 0});
  }
}

std::vector<Sum> QuasiAffineContext::sums(const IndexingMap& map,
                                          const std::vector<NodeId>& roots) {
  return spec::evaluate_expressions<Sum>(map.nodes, absl::MakeConstSpan(roots),
                                         Variables{*this, map});
}

Sum QuasiAffineContext::number(Wide value) { return Sum{this, {}, value, false}; }
Sum QuasiAffineContext::atom(int32_t number) {
  const Range& range = atoms_[number].range;
  if (range.low.value && range.high.value && *range.low.value == *range.high.value) {
    if (listener_ != nullptr) listener_->use_constant_variable(number);
    return this->number(*range.low.value);
  }
  return Sum{this, {{{number}, 1}}, 0, false};
}

Range QuasiAffineContext::range_of(const Product& product) const {
  Range result = atoms_[product[0]].range;
  for (size_t i = 1; i < product.size(); ++i) result = result * atoms_[product[i]].range;
  // A square is not negative.
  if (product.size() == 2 && product[0] == product[1] && result.low.value) {
    result.low = exact(std::max<Wide>(0, *result.low.value));
  }
  return result;
}

Range QuasiAffineContext::range_of(const Sum& sum) const {
  if (sum.too_large) return {};
  Range result{exact(sum.constant), exact(sum.constant)};
  for (const auto& [product, coefficient] : sum.terms) {
    result = result + range_of(product) * Range{exact(coefficient), exact(coefficient)};
  }
  return result;
}

Sum QuasiAffineContext::quotient(const Sum& x, Wide c) {
  if (x.too_large || c == 1) return x;
  Sum whole = number(0);  // x = c * whole + rest
  Sum rest = number(0);
  // Returns value - c*q in [low, low + c), and q.
  const auto split = [&](Wide value, Wide low) {
    const Wide q = floor_of(value - low, c);
    return std::pair{value - c * q, q};
  };
  if (c > kHalf || !within_half(x)) return too_large();
  for (const auto& [product, coefficient] : x.terms) {
    const auto [small, q] = split(coefficient, -((c - 1) / 2));
    if (small != 0) rest.terms.emplace(product, small);
    if (q != 0) whole.terms.emplace(product, q);
  }
  const auto [small, q] = split(x.constant, 0);
  rest.constant = small;
  whole.constant = q;
  Sum value = whole + reduced_quotient(rest, c);
  const bool is_new = !whole.is_number() || whole.constant != 0;
  if (listener_ != nullptr && is_new) listener_->pull_multiple(x, c, whole, rest, value);
  return value;
}

Sum QuasiAffineContext::reduced_quotient(const Sum& x, Wide c) {
  Wide g = c;
  for (const auto& [product, coefficient] : x.terms) g = gcd(g, coefficient);
  if (g == 1) return canonical_quotient(x, c);
  Sum reduced = x;
  for (auto& [product, coefficient] : reduced.terms) coefficient /= g;
  reduced.constant = floor_of(x.constant, g);
  Sum value = c == g ? reduced : canonical_quotient(reduced, c / g);
  if (listener_ != nullptr) listener_->common_factor(x, c, reduced, g, value);
  return value;
}

Sum QuasiAffineContext::canonical_quotient(const Sum& x, Wide c) {
  const Range range_of_x = range_of(x);
  const Range range{floordiv(range_of_x.low, exact(c)), floordiv(range_of_x.high, exact(c))};
  if (range.low.value && range.high.value && *range.low.value == *range.high.value) {
    Sum value = number(*range.low.value);
    if (listener_ != nullptr) listener_->one_cell(x, c, value);
    return value;
  }
  if (std::optional<Sum> smaller = without_small_part(x, c)) return *smaller;
  if (std::optional<Sum> merged = merged_quotient(x, c)) return *merged;
  const auto [known, is_new] =
      floors_.try_emplace({x.terms, {x.constant, c}}, static_cast<int32_t>(atoms_.size()));
  if (is_new) atoms_.push_back({range, x, c});
  return atom(known->second);
}

// (floor(t / m) + y) floordiv c
std::optional<Sum> QuasiAffineContext::merged_quotient(const Sum& x, Wide c) {
  for (const auto& [product, coefficient] : x.terms) {
    if (product.size() != 1 || coefficient != 1) continue;
    const Atom& inner = atoms_[product[0]];
    Wide divisor;
    if (inner.divisor == 0 || __builtin_mul_overflow(inner.divisor, c, &divisor)) continue;
    if (divisor > INT64_MAX) continue;
    Sum outside = x;
    outside.terms.erase(product);
    const Sum merged = inner.dividend + scaled(outside, inner.divisor);
    if (merged.too_large) continue;
    Sum value = quotient(merged, divisor);
    if (listener_ != nullptr)
      listener_->merge_inner_floor(x, c, product[0], outside, merged, value);
    return value;
  }
  return std::nullopt;
}

// x floordiv c by drop-small-part: g divides c and x - part, and the part lies in one cell of g.
std::optional<Sum> QuasiAffineContext::dropped(const Sum& x, const SmallPart& small, Wide c,
                                               Wide g) {
  const Exact cell = floordiv(small.range.low, exact(g));
  const Exact last = floordiv(small.range.high, exact(g));
  if (!cell.value || !last.value || *cell.value != *last.value) return std::nullopt;
  Sum whole = x - small.part;
  if (whole.too_large) return std::nullopt;
  for (auto& [product, coefficient] : whole.terms) coefficient /= g;
  whole.constant /= g;
  const Sum smaller = whole + number(*cell.value);
  Sum value = quotient(smaller, c / g);
  if (listener_ != nullptr) listener_->drop_small_part(x, c, small, g, *cell.value, smaller, value);
  return value;
}

std::optional<Sum> QuasiAffineContext::without_small_part(const Sum& x, Wide c) {
  for (const Wide g : splitting_factors(x, c)) {
    const Sum rest = residue(x, g);
    if (std::optional<Sum> result = dropped(x, {rest, rest, range_of(rest)}, c, g)) return result;
    for (const auto& [product, coefficient] : x.terms) {
      if (product.size() != 1) continue;
      if (std::optional<Sum> result = without_remainder(x, c, g, product[0])) return result;
    }
  }
  return std::nullopt;
}

// Like dropped, for a part with a remainder of this floor. (A variable has the divisor 0.)
std::optional<Sum> QuasiAffineContext::without_remainder(const Sum& x, Wide c, Wide g,
                                                         int32_t floor) {
  const Wide m = atoms_[floor].divisor;
  if (m == 0 || g % m != 0) return std::nullopt;
  for (const Wide k : {g / m, -g / m}) {
    const Sum remainder = scaled(atoms_[floor].dividend - scaled(atom(floor), m), k);
    const Sum rest = residue(x - remainder, g);
    const Range of_remainder{exact(std::min<Wide>(0, k * (m - 1))),
                             exact(std::max<Wide>(0, k * (m - 1)))};
    const SmallPart small{remainder + rest, rest, of_remainder + range_of(rest), floor, k};
    if (small.part.too_large) continue;
    if (std::optional<Sum> result = dropped(x, small, c, g)) return result;
  }
  return std::nullopt;
}

// Divisors of c that may split x, the largest first: common divisors of c with coefficients and
// with the divisors of floors in x.
std::vector<Wide> QuasiAffineContext::splitting_factors(const Sum& x, Wide c) const {
  std::vector<Wide> factors;
  for (const auto& [product, coefficient] : x.terms) {
    factors.push_back(gcd(c, coefficient));
    const Wide m = product.size() == 1 ? atoms_[product[0]].divisor : 0;
    if (m == 0) continue;
    factors.push_back(gcd(c, m));
    factors.push_back(gcd(c, m * gcd(c, coefficient)));
  }
  std::ranges::sort(factors, std::greater<>());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  std::erase_if(factors, [&](Wide g) { return g <= 1 || g >= c; });
  constexpr size_t kMost = 24;
  if (factors.size() > kMost) factors.resize(kMost);
  return factors;
}

std::vector<Wide> QuasiAffineContext::splitting_factors(const std::vector<int32_t>& floors) const {
  std::set<Wide> factors;
  for (const int32_t q : floors) {
    for (const Wide g : splitting_factors(atoms_[q].dividend, atoms_[q].divisor)) factors.insert(g);
    for (const int32_t other : floors)
      factors.insert(gcd(atoms_[q].divisor, atoms_[other].divisor));
  }
  factors.erase(1);
  return {factors.begin(), factors.end()};
}

spec::Exact value_at(const QuasiAffineContext& context, const Sum& sum,
                     const std::vector<int64_t>& variables) {
  std::vector<Exact> floors;  // the atoms behind the variables, as far as the sum needs them
  const auto value_of = [&](const Sum& x) {
    Exact total = x.too_large ? Exact{} : exact(x.constant);
    for (const auto& [product, coefficient] : x.terms) {
      Exact term = exact(coefficient);
      for (const int32_t atom : product) {
        const auto number = static_cast<size_t>(atom);
        const bool is_variable = number < variables.size();
        term = term * (is_variable ? exact(variables[number]) : floors[number - variables.size()]);
      }
      total = total + term;
    }
    return total;
  };
  size_t needed = 0;  // atoms: a floor's dividend has only those before it
  for (const auto& [product, coefficient] : sum.terms) {
    for (const int32_t atom : product) needed = std::max(needed, static_cast<size_t>(atom) + 1);
  }
  for (size_t i = variables.size(); i < needed; ++i) {
    const QuasiAffineContext::Atom& atom = context.atoms()[i];
    floors.push_back(floordiv(value_of(atom.dividend), exact(atom.divisor)));
  }
  return value_of(sum);
}

}  // namespace tileproof::verify

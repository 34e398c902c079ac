#include "verify/prove/smt/quotients.h"

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

// Adds, or marks the sum as too large.
void add_to(Wide& number, Wide more, Sum& sum) {
  if (__builtin_add_overflow(number, more, &number)) sum.too_large = true;
}

void add_term(Sum& sum, const Product& product, Wide coefficient) {
  const auto [term, is_new] = sum.terms.try_emplace(product, coefficient);
  if (!is_new) add_to(term->second, coefficient, sum);
  if (term->second == 0) sum.terms.erase(term);
}

Wide floor_of(Wide x, Wide c) { return *floordiv(exact(x), exact(c)).value; }

Sum scaled(const Sum& a, Wide factor) {
  if (factor == 0) return Sum{a.atoms, {}, 0, a.too_large};
  Sum result = a;
  for (auto& [product, coefficient] : result.terms) {
    if (__builtin_mul_overflow(coefficient, factor, &coefficient)) return too_large();
  }
  if (__builtin_mul_overflow(result.constant, factor, &result.constant)) return too_large();
  return result;
}

// Numbers from which a divisor below kHalf can be taken without leaving 127 bits.
constexpr Wide kHalf = Wide{1} << 126;
bool within_half(const Sum& x) {
  return -kHalf <= x.constant && x.constant <= kHalf &&
         std::ranges::all_of(x.terms, [](const auto& term) {
           return -kHalf <= term.second && term.second <= kHalf;
         });
}

Wide gcd(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a < 0 ? -a : a;
}

Reach operator+(const Reach& a, const Reach& b) { return {a.low + b.low, a.high + b.high}; }

// The least and greatest of the four products, if all are known.
Reach operator*(const Reach& a, const Reach& b) {
  Reach result{a.low * b.low, a.low * b.low};
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
  Quotients& atoms;
  const IndexingMap& map;

  Sum constant(int64_t value) const { return atoms.number(value); }
  Sum variable(Op kind, int64_t number) const {
    int64_t before = 0;
    if (kind != Op::kDimension) before += std::ssize(map.dimensions);
    if (kind == Op::kRuntime) before += std::ssize(map.ranges);
    return atoms.atom(static_cast<int32_t>(before + number));
  }
};

}  // namespace

Sum operator+(const Sum& a, const Sum& b) {
  if (a.too_large || b.too_large) return too_large();
  Sum result = a.terms.size() >= b.terms.size() ? a : b;
  const Sum& other = a.terms.size() >= b.terms.size() ? b : a;
  if (result.atoms == nullptr) result.atoms = other.atoms;
  for (const auto& [product, coefficient] : other.terms) add_term(result, product, coefficient);
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
  Sum result = scaled(a, b.constant) + scaled(Sum{b.atoms, b.terms, 0, false}, a.constant);
  for (const auto& [p, of_a] : a.terms) {
    for (const auto& [q, of_b] : b.terms) {
      Product product;
      std::merge(p.begin(), p.end(), q.begin(), q.end(), std::back_inserter(product));
      Wide coefficient;
      if (__builtin_mul_overflow(of_a, of_b, &coefficient)) return too_large();
      add_term(result, product, coefficient);
    }
  }
  return result;
}

Sum floordiv(const Sum& x, const Sum& c) {
  if (x.too_large || !c.is_number() || c.constant == 0) return too_large();
  if (x.is_number()) {
    const Exact value = floordiv(exact(x.constant), exact(c.constant));
    return value.value ? Sum{x.atoms, {}, *value.value, false} : too_large();
  }
  if (c.constant > 0) return x.atoms->quotient(x, c.constant);
  const Sum opposite = -x;
  return opposite.too_large ? opposite : x.atoms->quotient(opposite, -c.constant);
}

Sum residue(const Sum& x, Wide g) {
  Sum rest{x.atoms, {}, 0, false};
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

Quotients::Quotients(const std::vector<Interval>& bounds) {
  for (const Interval& interval : bounds) {
    atoms_.push_back({{exact(interval.low), exact(interval.high)}, {}, 0});
  }
}

std::vector<Sum> Quotients::sums(const IndexingMap& map, const std::vector<NodeId>& roots) {
  return spec::evaluate_expressions<Sum>(map.nodes, absl::MakeConstSpan(roots),
                                         Variables{*this, map});
}

Sum Quotients::number(Wide value) { return Sum{this, {}, value, false}; }
Sum Quotients::atom(int32_t number) {
  const Reach& reach = atoms_[number].reach;
  if (reach.low.value && reach.high.value && *reach.low.value == *reach.high.value) {
    return this->number(*reach.low.value);
  }
  return Sum{this, {{{number}, 1}}, 0, false};
}

Reach Quotients::reach(const Product& product) const {
  Reach result = atoms_[product[0]].reach;
  for (size_t i = 1; i < product.size(); ++i) result = result * atoms_[product[i]].reach;
  // A square is not negative.
  if (product.size() == 2 && product[0] == product[1] && result.low.value) {
    result.low = exact(std::max<Wide>(0, *result.low.value));
  }
  return result;
}

Reach Quotients::reach(const Sum& sum) const {
  if (sum.too_large) return {};
  Reach result{exact(sum.constant), exact(sum.constant)};
  for (const auto& [product, coefficient] : sum.terms) {
    result = result + reach(product) * Reach{exact(coefficient), exact(coefficient)};
  }
  return result;
}

Sum Quotients::quotient(const Sum& x, Wide c) {
  if (x.too_large || c == 1) return x;
  Sum whole = number(0);  // what comes out
  Sum rest = number(0);
  const auto split = [&](Wide value, Wide low) {  // into value - c*q in [low, low + c), and q
    const Wide q = floor_of(value - low, c);
    return std::pair{value - c * q, q};
  };
  if (c > kHalf || !within_half(x)) return too_large();
  for (const auto& [product, coefficient] : x.terms) {
    const auto [small, q] = split(coefficient, -((c - 1) / 2));
    if (small != 0) add_term(rest, product, small);
    if (q != 0) add_term(whole, product, q);
  }
  const auto [small, q] = split(x.constant, 0);
  rest.constant = small;
  whole.constant = q;
  return whole + reduced_quotient(std::move(rest), c);
}

Sum Quotients::reduced_quotient(Sum x, Wide c) {
  Wide g = c;
  for (const auto& [product, coefficient] : x.terms) g = gcd(g, coefficient);
  for (auto& [product, coefficient] : x.terms) coefficient /= g;
  x.constant = floor_of(x.constant, g);
  c /= g;
  if (c == 1) return x;
  const Reach reach_of_x = reach(x);
  const Reach reach_of_q{floordiv(reach_of_x.low, exact(c)), floordiv(reach_of_x.high, exact(c))};
  if (reach_of_q.low.value && reach_of_q.high.value &&
      *reach_of_q.low.value == *reach_of_q.high.value)
    return number(*reach_of_q.low.value);
  if (std::optional<Sum> smaller = without_small_part(x, c)) return *smaller;
  if (std::optional<Sum> merged = merged_quotient(x, c)) return *merged;
  const auto [known, is_new] =
      known_.try_emplace({x.terms, {x.constant, c}}, static_cast<int32_t>(atoms_.size()));
  if (is_new) atoms_.push_back({reach_of_q, x, c});
  return atom(known->second);
}

// (t floordiv m + y) floordiv c
std::optional<Sum> Quotients::merged_quotient(const Sum& x, Wide c) {
  for (const auto& [product, coefficient] : x.terms) {
    if (product.size() != 1 || coefficient != 1) continue;
    const Atom& inner = atoms_[product[0]];
    Wide divisor;
    if (inner.divisor == 0 || __builtin_mul_overflow(inner.divisor, c, &divisor)) continue;
    if (divisor > INT64_MAX) continue;
    Sum outside = x;
    outside.terms.erase(product);
    const Sum merged = inner.dividend + scaled(outside, inner.divisor);
    if (!merged.too_large) return quotient(merged, divisor);
  }
  return std::nullopt;
}

// (x - y + y) floordiv c where g divides c and x - y, and y is in one cell of g
std::optional<Sum> Quotients::dropped(const Sum& x, const Sum& y, const Reach& reach_of_y, Wide c,
                                      Wide g) {
  const Exact cell = floordiv(reach_of_y.low, exact(g));
  const Exact last = floordiv(reach_of_y.high, exact(g));
  if (!cell.value || !last.value || *cell.value != *last.value) return std::nullopt;
  Sum whole = x - y;
  if (whole.too_large) return std::nullopt;
  for (auto& [product, coefficient] : whole.terms) coefficient /= g;
  whole.constant /= g;
  return quotient(whole + number(*cell.value), c / g);
}

std::optional<Sum> Quotients::without_small_part(const Sum& x, Wide c) {
  for (const Wide g : splitting_factors(x, c)) {
    const Sum y = residue(x, g);
    if (std::optional<Sum> result = dropped(x, y, reach(y), c, g)) return result;
    for (const auto& [product, coefficient] : x.terms) {
      if (product.size() != 1) continue;
      const Wide m = atoms_[product[0]].divisor;
      if (m == 0 || g % m != 0) continue;
      for (const Wide k : {g / m, -g / m}) {
        const Sum remainder = scaled(atoms_[product[0]].dividend - scaled(atom(product[0]), m), k);
        const Sum rest = residue(x - remainder, g);
        const Reach of_remainder{exact(std::min<Wide>(0, k * (m - 1))),
                                 exact(std::max<Wide>(0, k * (m - 1)))};
        const Sum both = remainder + rest;
        if (both.too_large) continue;
        if (std::optional<Sum> result = dropped(x, both, of_remainder + reach(rest), c, g))
          return result;
      }
    }
  }
  return std::nullopt;
}

// Divisors of c that may split x, the largest first: what c has in common with a coefficient, and
// with the divisors of quotients in x.
std::vector<Wide> Quotients::splitting_factors(const Sum& x, Wide c) const {
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

std::vector<Wide> Quotients::splitting_factors(const std::vector<int32_t>& quotients) const {
  std::set<Wide> factors;
  for (const int32_t q : quotients) {
    for (const Wide g : splitting_factors(atoms_[q].dividend, atoms_[q].divisor)) factors.insert(g);
    for (const int32_t other : quotients)
      factors.insert(gcd(atoms_[q].divisor, atoms_[other].divisor));
  }
  factors.erase(1);
  return {factors.begin(), factors.end()};
}

spec::Exact value_at(const Quotients& atoms, const Sum& sum,
                     const std::vector<int64_t>& variables) {
  std::vector<Exact> values;
  const auto value_of = [&](const Sum& x) {
    Exact total = x.too_large ? Exact{} : exact(x.constant);
    for (const auto& [product, coefficient] : x.terms) {
      Exact term = exact(coefficient);
      for (int32_t atom : product) term = term * values[atom];
      total = total + term;
    }
    return total;
  };
  for (int64_t value : variables) values.push_back(exact(value));
  for (size_t i = values.size(); i < atoms.atoms().size(); ++i) {
    const Quotients::Atom& atom = atoms.atoms()[i];
    values.push_back(floordiv(value_of(atom.dividend), exact(atom.divisor)));
  }
  return value_of(sum);
}

}  // namespace tileproof::verify

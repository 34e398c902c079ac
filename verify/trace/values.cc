// SPDX-License-Identifier: Apache-2.0
#include "verify/trace/values.h"

#include <algorithm>

namespace tileproof::trace {
namespace {

constexpr size_t kMostTerms = 100'000;
constexpr int kDeepest = 1000;

Polynomial invalid() {
  Polynomial result;
  result.valid = false;
  return result;
}

int depth_of(const Polynomial& polynomial, const Table& table) {
  int depth = 0;
  for (const auto& [unknowns, factor] : polynomial.terms) {
    for (int number : unknowns) depth = std::max(depth, table.unknowns[number].depth);
  }
  return depth;
}

Value with(const Value& like, Polynomial polynomial) {
  return {std::move(polynomial), like.table, like.equations};
}

}  // namespace

bool add(Wide a, Wide b, Wide& result) { return !__builtin_add_overflow(a, b, &result); }
bool multiply(Wide a, Wide b, Wide& result) { return !__builtin_mul_overflow(a, b, &result); }
Wide floor_divide(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

bool same(const Polynomial& a, const Polynomial& b) {
  return a.valid && b.valid && a.terms == b.terms;
}

Polynomial constant_polynomial(Wide value) {
  Polynomial result;
  if (value != 0) result.terms[{}] = value;
  return result;
}

Polynomial unknown(int number) {
  Polynomial result;
  result.terms[{number}] = 1;
  return result;
}

bool is_constant(const Polynomial& a) {
  return a.terms.empty() || (a.terms.size() == 1 && a.terms.begin()->first.empty());
}

Wide constant_of(const Polynomial& a) {
  const auto found = a.terms.find({});
  return found == a.terms.end() ? 0 : found->second;
}

Polynomial sum(const Polynomial& a, const Polynomial& b) {
  if (!a.valid || !b.valid) return invalid();
  Polynomial result = a;
  result.valid = lemmas::add_terms(result.terms, b.terms);
  return result;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  if (!a.valid || !b.valid || a.terms.size() * b.terms.size() > kMostTerms) return invalid();
  Polynomial result;
  result.valid = lemmas::add_product(result.terms, a.terms, b.terms);
  return result;
}

Value operator+(const Value& a, const Value& b) { return with(a, sum(a.polynomial, b.polynomial)); }
Value operator-(const Value& a) { return with(a, product(a.polynomial, constant_polynomial(-1))); }
Value operator-(const Value& a, const Value& b) { return a + -b; }
Value operator*(const Value& a, const Value& b) {
  return with(a, product(a.polynomial, b.polynomial));
}

Value floordiv(const Value& a, const Value& b) {
  if (!a.polynomial.valid || !b.polynomial.valid || !is_constant(b.polynomial)) {
    return with(a, invalid());
  }
  const Wide c = constant_of(b.polynomial);
  if (c == 0) return with(a, invalid());
  if (c < 0) return floordiv(-a, -b);
  if (c == 1) return a;
  if (is_constant(a.polynomial)) {
    return with(a, constant_polynomial(floor_divide(constant_of(a.polynomial), c)));
  }
  Table& table = *a.table;
  const auto [position, is_new] =
      table.floors.emplace(std::pair{a.polynomial, c}, static_cast<int>(table.unknowns.size()));
  if (is_new) {
    const int depth = depth_of(a.polynomial, table) + 1;
    table.unknowns.push_back({true, a.polynomial, c, depth});
  }
  if (table.unknowns[position->second].depth > kDeepest) return with(a, invalid());
  if (a.equations != nullptr) {
    const auto equation = a.equations->find(position->second);
    if (equation != a.equations->end()) return with(a, equation->second);
  }
  return with(a, unknown(position->second));
}

Value ceildiv(const Value& a, const Value& b) { return -floordiv(-a, b); }
Value mod(const Value& a, const Value& b) { return a - b * floordiv(a, b); }
Value literal(const Value& like, int64_t value) { return with(like, constant_polynomial(value)); }

namespace {

// `done` holds the results so far.
Polynomial rewritten_unknown(int number, Table& table, const Equations& equations,
                             std::map<int, Polynomial>& done);

Polynomial rewritten(const Polynomial& polynomial, Table& table, const Equations& equations,
                     std::map<int, Polynomial>& done) {
  if (!polynomial.valid) return invalid();
  Polynomial result;
  for (const auto& [unknowns, factor] : polynomial.terms) {
    Polynomial part = constant_polynomial(factor);
    for (int number : unknowns) {
      part = product(part, rewritten_unknown(number, table, equations, done));
    }
    result = sum(result, part);
  }
  return result;
}

// The recursion is as deep as floors are nested, at most kDeepest.
Polynomial rewritten_unknown(int number, Table& table, const Equations& equations,
                             std::map<int, Polynomial>& done) {
  if (const auto found = done.find(number); found != done.end()) return found->second;
  Polynomial result;
  if (const auto equation = equations.find(number); equation != equations.end()) {
    result = equation->second;
  } else if (!table.unknowns[number].is_floor) {
    result = unknown(number);
  } else {
    const Unknown floor = table.unknowns[number];
    const Value inside{rewritten(floor.inside, table, equations, done), &table, &equations};
    result = floordiv(inside, {constant_polynomial(floor.divisor), &table, &equations}).polynomial;
  }
  return done[number] = result;
}

}  // namespace

Polynomial rewritten(const Polynomial& polynomial, Table& table, const Equations& equations) {
  if (equations.empty()) return polynomial;
  std::map<int, Polynomial> done;
  return rewritten(polynomial, table, equations, done);
}

Fact make_fact(const Polynomial& polynomial, std::optional<Wide> low, std::optional<Wide> high) {
  Fact fact{polynomial, low, high};
  if (!polynomial.valid) return fact;
  const Wide k = constant_of(polynomial);
  fact.polynomial.terms.erase(Unknowns{});
  Wide minus;
  bool fits = multiply(k, -1, minus);
  for (std::optional<Wide>* end : {&fact.low, &fact.high}) {
    if (*end) fits = fits && add(**end, minus, **end);
  }
  if (!fact.polynomial.terms.empty() && fact.polynomial.terms.begin()->second < 0) {
    fact.polynomial = product(fact.polynomial, constant_polynomial(-1));
    std::swap(fact.low, fact.high);
    for (std::optional<Wide>* end : {&fact.low, &fact.high}) {
      if (*end) fits = fits && multiply(**end, -1, **end);
    }
  }
  if (!fits) fact.polynomial.valid = false;
  return fact;
}

Fact make_fact(const impl::Fact<Value>& fact) {
  const Polynomial difference = (fact.right - fact.left).polynomial;
  switch (fact.predicate) {
    case impl::Predicate::kEqual:
      return make_fact(difference, 0, 0);
    case impl::Predicate::kLess:
      return make_fact(difference, 1, std::nullopt);
    case impl::Predicate::kLessEqual:
      break;
  }
  return make_fact(difference, 0, std::nullopt);
}

Fact rewritten(const Fact& fact, Table& table, const Equations& equations) {
  return make_fact(rewritten(fact.polynomial, table, equations), fact.low, fact.high);
}

namespace {

bool is_empty(const Fact& fact) {
  if (fact.low && fact.high && *fact.low > *fact.high) return true;
  if (!fact.polynomial.terms.empty()) return false;  // else it is 0
  return (fact.low && *fact.low > 0) || (fact.high && *fact.high < 0);
}

}  // namespace

bool Facts::add(const Fact& fact) {
  if (!fact.polynomial.valid || imply(fact)) return false;
  const auto [position, is_new] = facts_.emplace(fact.polynomial, fact);
  Fact& known = position->second;
  if (fact.low) known.low = known.low ? std::max(*known.low, *fact.low) : *fact.low;
  if (fact.high) known.high = known.high ? std::min(*known.high, *fact.high) : *fact.high;
  contradictory_ = contradictory_ || is_empty(known);
  return true;
}

bool Facts::imply(const Fact& fact) const {
  if (!fact.polynomial.valid) return false;
  if (contradictory_) return true;
  if (fact.polynomial.terms.empty()) return !is_empty(fact);
  if (!fact.low && !fact.high) return true;
  const auto found = facts_.find(fact.polynomial);
  if (found == facts_.end()) return false;
  const Fact& known = found->second;
  return (!fact.low || (known.low && *known.low >= *fact.low)) &&
         (!fact.high || (known.high && *known.high <= *fact.high));
}

}  // namespace tileproof::trace

// SPDX-License-Identifier: Apache-2.0
// The numbers in a trace: polynomials over variables and floors.
//
// A floor(P / c) with a polynomial P and a constant c > 0 is an unknown, like a variable. Two
// floors are the same unknown if P and c are the same. Arithmetic is exact in 127 bits. A result
// that does not fit, or that has too many terms, is invalid. So is everything computed from it. An
// invalid polynomial equals nothing.
//
// Besides the arithmetic of polynomials, these equations are built in:
//
//     x mod c = x - c * (x floordiv c)       x ceildiv c = -((-x) floordiv c)     by definition
//     x floordiv -c = (-x) floordiv c        x floordiv 1 = x                     the lemmas
//                                            negative-divisor, floordiv-by-one
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "impl/lemmas/lemma.h"
#include "verify/lemmas/polynomial.h"

namespace tileproof::trace {

using impl::operator==, impl::operator<, impl::operator<=, impl::operator>, impl::operator>=;
using impl::operator+, impl::operator-, impl::operator*;

__extension__ typedef __int128 Wide;

using Unknowns = std::vector<int>;  // a product of unknowns, in order; {} is 1

struct Polynomial {
  lemmas::Terms<int, Wide> terms;  // no coefficient is 0
  bool valid = true;

  // An arbitrary order for std::map. No table holds an invalid polynomial.
  friend bool operator<(const Polynomial& a, const Polynomial& b) { return a.terms < b.terms; }
};

bool same(const Polynomial& a, const Polynomial& b);  // false if either is invalid
Polynomial constant_polynomial(Wide value);
Polynomial unknown(int number);
bool is_constant(const Polynomial& a);
Wide constant_of(const Polynomial& a);
Polynomial sum(const Polynomial& a, const Polynomial& b);
Polynomial product(const Polynomial& a, const Polynomial& b);

// Return false if the exact result does not fit.
bool add(Wide a, Wide b, Wide& result);
bool multiply(Wide a, Wide b, Wide& result);
Wide floor_divide(Wide a, Wide b);  // b > 0

// The unknowns: the variables first, then floors in the order of their first use.
struct Unknown {
  bool is_floor = false;
  Polynomial inside;
  Wide divisor = 0;
  int depth = 0;  // of nested floors
};
struct Table {
  std::vector<Unknown> unknowns;
  std::map<std::pair<Polynomial, Wide>, int> floors;
};

// Proven equations `unknown = polynomial`. Value's floordiv replaces the unknown by the polynomial.
using Equations = std::map<int, Polynomial>;

// The number type with which the checker evaluates lemmas and expressions.
struct Value {
  using LemmaNumber = void;
  Polynomial polynomial;
  Table* table = nullptr;
  const Equations* equations = nullptr;
};

Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator-(const Value& a);
// Invalid if b is not a constant, if b is 0, or if floors nest too deep.
Value floordiv(const Value& a, const Value& b);
Value ceildiv(const Value& a, const Value& b);
Value mod(const Value& a, const Value& b);
Value literal(const Value& like, int64_t value);

// Replaces unknowns by their equations, also inside of floors.
Polynomial rewritten(const Polynomial& polynomial, Table& table, const Equations& equations);

// Facts about polynomials, and sets of them.
//
// A fact says that a polynomial lies in an interval. Either end of the interval may be missing. An
// equation is a fact about the difference of its sides. A Fact has no constant term, and its first
// coefficient is positive. So `3 - d0 in [0, 2]` and `d0 in [1, 3]` are one fact.

struct Fact {
  Polynomial polynomial;  // no constant term; the first coefficient is positive
  std::optional<Wide> low, high;
};

// The fact that the polynomial lies in the interval. Invalid if an end does not fit 127 bits.
Fact make_fact(const Polynomial& polynomial, std::optional<Wide> low, std::optional<Wide> high);
Fact make_fact(const impl::Fact<Value>& fact);
Fact rewritten(const Fact& fact, Table& table, const Equations& equations);

class Facts {
 public:
  // Intersects the polynomial's interval with the one of the fact. Returns whether that changed it.
  bool add(const Fact& fact);
  // Some interval is empty, or a step showed `never`.
  bool contradictory() const { return contradictory_; }
  void add_contradiction() { contradictory_ = true; }
  // Whether the fact follows from one interval, or from a contradiction.
  bool imply(const Fact& fact) const;

 private:
  std::map<Polynomial, Fact> facts_;
  bool contradictory_ = false;
};

}  // namespace tileproof::trace

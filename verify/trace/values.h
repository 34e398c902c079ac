// The numbers that a trace speaks of: polynomials over variables and floors as they stand.
//
// A floor(P / c) with a polynomial P and a constant c > 0 is an unknown like a variable: two are
// the same when P and c are. Everything else is arithmetic, exact in 127 bits; what leaves them, or
// grows beyond a fixed size, is `invalid` and stays so, and equals nothing.
//
// What is built in, besides the arithmetic of polynomials:
//
//     x mod c = x - c * (x floordiv c)       x ceildiv c = -((-x) floordiv c)     by definition
//     x floordiv -c = (-x) floordiv c        x floordiv 1 = x                     the lemmas
//                                            negative-divisor, floordiv-by-one
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "impl/lemmas/lemma.h"
#include "verify/lemmas/terms.h"

namespace tileproof::trace {

using impl::operator==, impl::operator<, impl::operator<=, impl::operator>, impl::operator>=;
using impl::operator+, impl::operator-, impl::operator*;

__extension__ typedef __int128 Wide;

using Unknowns = std::vector<int>;  // a product of unknowns, in order; {} is 1

struct Polynomial {
  lemmas::Terms<int, Wide> terms;  // no factor is 0
  bool valid = true;

  // An order for tables; meaningless otherwise. Invalid ones never get into a table.
  friend bool operator<(const Polynomial& a, const Polynomial& b) { return a.terms < b.terms; }
};

bool same(const Polynomial& a, const Polynomial& b);  // false where one is invalid
Polynomial constant_polynomial(Wide value);
Polynomial unknown(int number);
bool is_constant(const Polynomial& a);
Wide constant_of(const Polynomial& a);
Polynomial sum(const Polynomial& a, const Polynomial& b);
Polynomial product(const Polynomial& a, const Polynomial& b);

// Exact, or false.
bool add(Wide a, Wide b, Wide& result);
bool multiply(Wide a, Wide b, Wide& result);
Wide floor_divide(Wide a, Wide b);  // b > 0

// The unknowns: the variables first, then floors as they are met.
struct Unknown {
  bool is_floor = false;
  Polynomial inside;
  Wide divisor = 0;
  int depth = 0;  // floors inside each other
};
struct Table {
  std::vector<Unknown> unknowns;
  std::map<std::pair<Polynomial, Wide>, int> floors;
};

// Equations `unknown = polynomial` that hold and are put in wherever the unknown arises.
using Equations = std::map<int, Polynomial>;

// A number to read lemmas and expressions with.
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
// Invalid unless b is a constant other than 0, and where floors are nested beyond any map.
Value floordiv(const Value& a, const Value& b);
Value ceildiv(const Value& a, const Value& b);
Value mod(const Value& a, const Value& b);
Value literal(const Value& like, int64_t value);

// The polynomial with the equations put in, also inside its floors.
Polynomial rewritten(const Polynomial& polynomial, Table& table, const Equations& equations);

}  // namespace tileproof::trace

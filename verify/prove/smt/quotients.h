// Expressions as sums over variables and shared quotients: what a solver is asked about maps.
//
//     d0 mod 8 + (d1 * 16 + d0) floordiv 8       d0 - 7*q + 2*d1,  q = d0 floordiv 8
//
// A Sum is a constant and integer multiples of monomials; a monomial is a product of atoms; an atom
// is a variable or a quotient `dividend floordiv divisor`. Sums are numbers as spec/map/map_evaluation.h's generic
// evaluation wants them, so that what is proven is the meaning which the reference executes.
//
// Equal quotients are one atom, on whatever side of an equation they were met. To be found equal
// they are brought into one form, each step a fact about all integers (c, m, g > 0):
//
//     x floordiv -c                   =  (-x) floordiv c
//     (c*x + y) floordiv c            =  x + y floordiv c              coefficients become small
//     (g*x + y) floordiv (g*c)        =  (x + y floordiv g) floordiv c    y constant
//     (x floordiv m + y) floordiv c   =  (x + m*y) floordiv (m*c)
//
// and within the bounds of the variables
//
//     x floordiv c                    =  m      where m*c <= x < (m+1)*c
//     (g*x + y) floordiv (g*c)        =  (x + m) floordiv c    where m*g <= y < (m+1)*g
//
// What is known of y are the bounds of its terms, and that k*(t - m*q) for q = t floordiv m, the
// remainder in disguise, is in [0, k*(m-1)].
//
// Numbers have 127 bits; a Sum that would need more is `too_large`, and so is what is made of it.
// Source: design "SolverSession Z3 well"; INTERFACE, section 2 "Integers".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "spec/base/exact_int.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

using spec::Wide;

// Numbers of atoms, ascending, with repetition. Never empty in a Sum.
using Product = std::vector<int32_t>;

class Quotients;

struct Sum {
  Quotients* atoms = nullptr;     // none: a number
  std::map<Product, Wide> terms;  // no coefficient is 0
  Wide constant = 0;
  bool too_large = false;

  bool is_number() const { return terms.empty() && !too_large; }
  friend bool operator==(const Sum& a, const Sum& b) {
    return !a.too_large && !b.too_large && a.constant == b.constant && a.terms == b.terms;
  }
};

Sum operator+(const Sum& a, const Sum& b);
Sum operator-(const Sum& a, const Sum& b);
Sum operator*(const Sum& a, const Sum& b);
Sum operator-(const Sum& a);

// c is a number other than 0; too large otherwise.
Sum floordiv(const Sum& x, const Sum& c);
Sum mod(const Sum& x, const Sum& c);

// What is left of the sum when multiples of g are taken out of the coefficients, which become as
// small as can be, and of the constant, which becomes one of [0, g).
Sum residue(const Sum& x, Wide g);

// The least and the greatest value that may occur; an absent one is not known.
struct Reach {
  spec::Exact low, high;
};

// The variables of a map within their bounds, and the quotients met so far.
class Quotients {
 public:
  struct Atom {
    Reach reach;
    Sum dividend;      // of a quotient
    Wide divisor = 0;  // above 1; 0 in a variable
  };

  // Variables are the first atoms: dimensions, ranges, runtime. Bounds must not be empty.
  explicit Quotients(const std::vector<Interval>& bounds);
  Quotients(const Quotients&) = delete;  // sums point to it
  Quotients& operator=(const Quotients&) = delete;

  // The values of expressions of a map with these variables.
  std::vector<Sum> sums(const IndexingMap& map, const std::vector<NodeId>& roots);

  const std::vector<Atom>& atoms() const { return atoms_; }
  Sum atom(int32_t number);
  Sum number(Wide value);

  Reach reach(const Sum& sum) const;
  Reach reach(const Product& product) const;

  // Numbers that splitting these quotients by may show something: what divisors have in common with
  // coefficients and with other divisors.
  std::vector<Wide> splitting_factors(const std::vector<int32_t>& quotients) const;

  // x floordiv c for c >= 1.
  Sum quotient(const Sum& x, Wide c);

 private:
  Sum reduced_quotient(Sum x, Wide c);  // coefficients are within (-c, c)
  std::optional<Sum> merged_quotient(const Sum& x, Wide c);
  std::optional<Sum> without_small_part(const Sum& x, Wide c);
  std::optional<Sum> dropped(const Sum& x, const Sum& y, const Reach& reach_of_y, Wide c, Wide g);
  std::vector<Wide> splitting_factors(const Sum& x, Wide c) const;

  std::vector<Atom> atoms_;
  std::map<std::pair<std::map<Product, Wide>, std::pair<Wide, Wide>>, int32_t>
      known_;  // by the dividend's terms and constant, and the divisor
};

// The value of a sum where the variables have these values.
spec::Exact value_at(const Quotients& atoms, const Sum& sum, const std::vector<int64_t>& variables);

}  // namespace tileproof::verify

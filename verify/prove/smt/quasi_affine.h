// SPDX-License-Identifier: Apache-2.0
// Quasi-affine expressions: sums over variables and floors. The form is nearly canonical: most
// equal expressions become the same Sum.
//
//     d0 mod 8 + (d1 * 16 + d0) floordiv 8       d0 - 7*q + 2*d1,  q = d0 floordiv 8
//
// A Sum is a constant and integer multiples of monomials. A monomial is a product of atoms. An atom
// is a variable or a floor `dividend floordiv divisor`. The evaluation of spec/map/map_evaluation.h
// is generic over the number type. It runs on Sums, so a proof is about the reference's meaning.
//
// Floors with the same dividend and divisor are one atom. A context rewrites each floor, so that
// equal floors get the same dividend. Every step is an instance of a lemma of impl/lemmas/lemmas.h,
// which is proven for all integers (c, g, m > 0):
//
//     x floordiv -c                  =  (-x) floordiv c              negative-divisor
//     (c*x + y) floordiv c           =  x + y floordiv c             pull-multiple
//     (g*x) floordiv (g*c)           =  x floordiv c                 common-factor
//     (x floordiv m + y) floordiv c  =  (x + m*y) floordiv (m*c)     merge-inner-floor
//     x floordiv c                   =  m                            one-cell
//                                          where m*c <= x < (m+1)*c
//     (g*x + y) floordiv (g*c)       =  (x + m) floordiv c           drop-small-part
//                                          where m*g <= y < (m+1)*g
//
// The last two need the range of a sum: the sum of the ranges of its terms. For drop-small-part a
// context also uses the range of a remainder: k*(t - m*q) with q = t floordiv m lies in
// [0, k*(m-1)].
//
// A context reports each step to its StepListener, if it has one. QuasiAffineLog
// (verify/prove/smt/quasi_affine_log.h) writes the steps as a proof log, which verify/trace checks
// without this file.
//
// Numbers have 127 bits. A Sum that would need more is `too_large`, and so is every result of an
// operation on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "spec/base/exact_int.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/lemmas/polynomial.h"

namespace tileproof::verify {

using spec::Wide;

// A monomial: numbers of atoms in ascending order, with repetition. Never empty in a Sum.
using Product = std::vector<int32_t>;

class QuasiAffineContext;

struct Sum {
  QuasiAffineContext* context = nullptr;  // null in a number
  lemmas::Terms<int32_t, Wide> terms;     // no coefficient is 0
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

Wide gcd(Wide a, Wide b);  // not negative

// c is a number other than 0. The result is too_large otherwise.
Sum floordiv(const Sum& x, const Sum& c);
Sum mod(const Sum& x, const Sum& c);

// The sum modulo g: its coefficients become as small as possible, and 0 <= constant < g.
Sum residue(const Sum& x, Wide g);

// The least and the greatest possible value. An absent end is unknown.
struct Range {
  spec::Exact low, high;
};

// A part of a dividend that lies in one cell of g: m*g <= part < (m+1)*g.
//
//     part = k * (t - d*q) + rest    q = t floordiv d is the atom `remainder_of`
//     part = rest                    if there is no such atom
struct SmallPart {
  Sum part, rest;
  Range range;  // of the part
  std::optional<int32_t> remainder_of = {};
  Wide k = 0;
};

// Receives each rewriting step of a context. The step of floor(x / c) comes after the steps of the
// floors in its value.
class StepListener {
 public:
  virtual ~StepListener() = default;

  // floor(x / c) = value, because ..
  // .. x = c * whole + rest.
  virtual void pull_multiple(const Sum& x, Wide c, const Sum& whole, const Sum& rest,
                             const Sum& value) = 0;
  // .. x = g * reduced + k with 0 <= k < g, and g divides c.
  virtual void common_factor(const Sum& x, Wide c, const Sum& reduced, Wide g,
                             const Sum& value) = 0;
  // .. x lies in one cell of c.
  virtual void one_cell(const Sum& x, Wide c, const Sum& value) = 0;
  // .. x = g * (smaller - m) + part, where the part lies in cell m of g.
  virtual void drop_small_part(const Sum& x, Wide c, const SmallPart& part, Wide g, Wide m,
                               const Sum& smaller, const Sum& value) = 0;
  // .. x = inner + outside, the atom `inner` is floor(y / d), and merged = y + d * outside.
  virtual void merge_inner_floor(const Sum& x, Wide c, int32_t inner, const Sum& outside,
                                 const Sum& merged, const Sum& value) = 0;

  // An evaluated expression divides x by c.
  virtual void use_floor(const Sum& x, Wide c) = 0;
  // An evaluated expression has the variable. Its bounds are equal, so it is a constant.
  virtual void use_constant_variable(int32_t variable) = 0;
};

// The variables of a map with their bounds, and the floors so far.
class QuasiAffineContext {
 public:
  struct Atom {
    Range range;
    Sum dividend;      // of a floor
    Wide divisor = 0;  // above 1; 0 in a variable
  };

  // Variables are the first atoms: dimensions, ranges, runtime. No bounds may be empty.
  explicit QuasiAffineContext(const std::vector<Interval>& bounds,
                              StepListener* listener = nullptr);
  QuasiAffineContext(const QuasiAffineContext&) = delete;  // sums point to it
  QuasiAffineContext& operator=(const QuasiAffineContext&) = delete;

  // The values of expressions of a map with these variables.
  std::vector<Sum> sums(const IndexingMap& map, const std::vector<NodeId>& roots);

  // What else is known of a variable that no sum has yet.
  void set_range(int32_t variable, const Range& range) { atoms_[variable].range = range; }

  const std::vector<Atom>& atoms() const { return atoms_; }
  StepListener* listener() const { return listener_; }
  Sum atom(int32_t number);
  Sum number(Wide value);

  Range range_of(const Sum& sum) const;
  Range range_of(const Product& product) const;

  // Candidates for splitting these floors: common divisors of their divisors with coefficients and
  // with each other.
  std::vector<Wide> splitting_factors(const std::vector<int32_t>& floors) const;

  // x floordiv c for c >= 1.
  Sum quotient(const Sum& x, Wide c);

 private:
  Sum reduced_quotient(const Sum& x, Wide c);    // coefficients are within (-c, c)
  Sum canonical_quotient(const Sum& x, Wide c);  // and have no common divisor with c
  std::optional<Sum> merged_quotient(const Sum& x, Wide c);
  std::optional<Sum> without_small_part(const Sum& x, Wide c);
  std::optional<Sum> without_remainder(const Sum& x, Wide c, Wide g, int32_t floor);
  std::optional<Sum> dropped(const Sum& x, const SmallPart& part, Wide c, Wide g);
  std::vector<Wide> splitting_factors(const Sum& x, Wide c) const;

  std::vector<Atom> atoms_;
  // By the dividend's terms and constant, and the divisor.
  std::map<std::pair<std::map<Product, Wide>, std::pair<Wide, Wide>>, int32_t> floors_;
  StepListener* listener_;
};

// The value of a sum for these values of the variables.
spec::Exact value_at(const QuasiAffineContext& context, const Sum& sum,
                     const std::vector<int64_t>& variables);

}  // namespace tileproof::verify

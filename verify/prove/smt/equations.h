// Unknowns of equations between sums, solved one after another.
//
//     16*x + y - (o floordiv 2) = 0, y in [0, 15]       x = (o floordiv 2) floordiv 16, then
//                                                       y = (o floordiv 2) - 16*x
//     (4*x + y) floordiv 8 - i = 0                      the quotient is i; x and y are not known
//     yet
//
// A value found is one that solves the equation if any does, not a proof that one does: what is
// concluded from it has to be checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "verify/prove/smt/quasi_affine.h"

namespace tileproof::verify {

class Equations {
 public:
  // `unknown`: variables to be solved for; `foreign`: variables that are not known either,
  // equations with which are of no use.
  Equations(QuasiAffineContext& context, std::set<int32_t> unknown, std::set<int32_t> foreign)
      : context_(context), unknown_(std::move(unknown)), foreign_(std::move(foreign)) {}

  // Solves what can be solved of `sums`, all of which are 0.
  void solve(const std::vector<Sum>& sums);

  // The value of a variable, made of what is known.
  std::optional<Sum> value(int32_t variable) const;

  // Whether unknown or foreign variables occur in it.
  bool is_open(const Sum& sum) const;

 private:
  bool is_open(int32_t atom) const;
  bool has(const std::set<int32_t>& variables, const Sum& sum) const;
  bool has(const std::set<int32_t>& variables, int32_t atom) const;
  Sum known_part(const Sum& sum);
  bool solve_one(const Sum& zero);

  QuasiAffineContext& context_;
  std::set<int32_t> unknown_;
  std::set<int32_t> foreign_;
  std::map<int32_t, Sum> values_;  // of variables and quotients
};

}  // namespace tileproof::verify

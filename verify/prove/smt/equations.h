// SPDX-License-Identifier: Apache-2.0
// Solves equations between sums for their unknowns, one after another.
//
//     16*x + y - (o floordiv 2) = 0, y in [0, 15]       x = (o floordiv 2) floordiv 16, then
//                                                       y = (o floordiv 2) - 16*x
//     (4*x + y) floordiv 8 - i = 0                      the floor is i; x and y stay unknown
//
// The values solve the equations if any values do. They do not prove that a solution exists, so the
// caller must check its conclusions.
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
  // `unknown`: variables to solve for. `foreign`: variables without a known value that are not
  // solved for; solve() skips equations that have them.
  Equations(QuasiAffineContext& context, std::set<int32_t> unknown, std::set<int32_t> foreign)
      : context_(context), unknown_(std::move(unknown)), foreign_(std::move(foreign)) {}

  // Solves the equations sum = 0 as far as possible.
  void solve(const std::vector<Sum>& sums);

  // The value of a variable, as a sum over known variables.
  std::optional<Sum> value(int32_t variable) const;

  // Whether unknown or foreign variables occur in the sum.
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
  std::map<int32_t, Sum> values_;  // of variables and floors
};

}  // namespace tileproof::verify

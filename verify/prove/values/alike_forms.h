// SPDX-License-Identifier: Apache-2.0
// Forms that are equal though they are not one: a sum that is written out against a reduction, and
// sums of real numbers whose factors differ by rounding alone.
//
//     c < 5 ? p : c < 9 ? q : r          c < 9 ? (c < 5 ? p : q) : r       equal for each c
//     max(x, -3) + 3           x < -3 ? 0 : x + 3      equal in both cases, if there is no NaN
//     add(add(p, q), r)        bag add {p, q, r}       equal, if reductions may have any order
//     0.2 p - 0.04 q           0.2 p - 0.0400000028 q  equal as real numbers of f32
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {

class AlikeForms {
 public:
  // `any_order`: the forms are those with the law of the order of reductions. `work` is counted down
  // by one for each pair that is looked at; below 0, only a form and itself are equal.
  AlikeForms(Forms& forms, bool any_order, int64_t work)
      : forms_(forms), any_order_(any_order), work_(work) {}

  bool are(FormId a, FormId b);

 private:
  using Scaled = std::vector<std::pair<FormId, double>>;  // forms and factors, or exponents
  bool reduces(FormId id, absl::string_view name) const;
  void add_terms(FormId id, absl::string_view name, std::vector<FormId>& terms) const;
  bool are_one(FormId a, FormId b);
  bool compare(FormId a, FormId b);
  bool are_in_cases(FormId a, FormId b);
  bool are_in_each_case(FormId a, FormId b);
  std::vector<FormId> ids_of(FormId id) const;
  bool are_reductions(FormId a, FormId b, absl::string_view name);
  // The terms of a sum, or the factors of a product; another form is one of its own.
  Scaled scaled_of(FormId id, Form::Kind kind) const;
  bool are_real_sums(FormId a, FormId b);
  static bool is_near(double x, double y, double unit);
  bool match_scaled(const Scaled& left, Scaled right, double unit);
  bool match(std::vector<FormId> left, std::vector<FormId> right);

  Forms& forms_;
  const bool any_order_;
  int64_t work_;
  std::optional<int64_t> cases_left_;  // while cases are looked at
  std::map<std::pair<FormId, FormId>, bool> known_, in_cases_;
};

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Forms that are equal though they are not one: a sum that is written out against a reduction.
//
//     add(add(p, q), r)        bag add {p, q, r}       equal, if reductions may have any order
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "verify/prove/values/forms.h"

namespace tileproof::verify {

class AlikeForms {
 public:
  // `any_order`: the forms are those with the law of the order of reductions. `work` is counted down
  // by one for each pair that is looked at; below 0, only a form and itself are equal.
  AlikeForms(const Forms& forms, bool any_order, int64_t work)
      : forms_(forms), any_order_(any_order), work_(work) {}

  bool are(FormId a, FormId b);

 private:
  bool is_sum(FormId id) const;
  void add_terms(FormId id, std::vector<FormId>& terms) const;
  bool compare(FormId a, FormId b);
  std::vector<FormId> ids_of(FormId id) const;
  bool are_sums(FormId a, FormId b);
  bool match(std::vector<FormId> left, std::vector<FormId> right);

  const Forms& forms_;
  const bool any_order_;
  int64_t work_;
  std::map<std::pair<FormId, FormId>, bool> known_;
};

}  // namespace tileproof::verify

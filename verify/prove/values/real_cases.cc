// SPDX-License-Identifier: Apache-2.0
// Sums of real numbers in each case of what predicates decide.
//
//     max(x, 0) y + min(x, 0) y - x y        0: x y - x y where x < 0, and where it is not
//     sum of n such                          0: each has two cases of its own, not all of them 2^n
#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "verify/prove/values/forms.h"

namespace tileproof::verify {

bool Forms::are_equal_in_cases(FormId a, FormId b) {
  if (!is_real(forms_[a].type) || forms_[a].type != forms_[b].type) return false;
  const FormId difference = real_sum(forms_[a].type, {{a, 1}, {b, -1}});
  Left left{.cases = pairs_of_choices({difference}), .work = work_ / 2};
  const auto one = in_all_cases(difference, left);
  return one && number_of(*one) == 0;
}

// What predicates compare in a form. Numbers do not count: x < 3 and x < 5 have x in common.
std::set<FormId> Forms::compared_in(FormId form) {
  std::set<FormId> all;
  for (const FormId one : choices_in(form)) {
    if (forms_[one].count == 0) all.insert(one);
    for (const FormId of : operands(one)) {
      if (forms_[of].kind != Kind::kConstant) all.insert(of);
    }
  }
  return all;
}

// The terms of a sum in groups that compare nothing in common, each as a sum; what compares nothing is the last.
Forms::Ids Forms::unconnected_parts(FormId sum) {
  const ElementType type = forms_[sum].type;
  using Terms = std::vector<std::pair<FormId, double>>;
  const RealSum all = real_sum_of(sum);
  Terms rest = {{number(type, 1), all.number}};
  std::vector<std::pair<std::set<FormId>, Terms>> groups;
  for (const auto& term : all.terms) {
    std::pair<std::set<FormId>, Terms> joined{compared_in(term.first), {term}};
    if (joined.first.empty()) rest.push_back(term);
    if (joined.first.empty()) continue;
    std::erase_if(groups, [&](auto& group) {
      const bool is_apart =
          std::ranges::none_of(group.first, [&](FormId one) { return joined.first.contains(one); });
      if (is_apart) return false;
      joined.first.merge(group.first);
      joined.second.insert(joined.second.end(), group.second.begin(), group.second.end());
      return true;
    });
    groups.push_back(std::move(joined));
  }
  Ids parts;
  for (const auto& [compared, terms] : groups) parts.push_back(real_sum(type, terms));
  parts.push_back(real_sum(type, rest));
  return parts;
}

// What a sum is, if that is one form in all cases. `left`: the cases that may still be looked at, and the work that
// is left to others.
std::optional<FormId> Forms::in_all_cases(FormId sum, Left& left) {
  if (!forms_[sum].chooses) return sum;
  Ids parts = unconnected_parts(sum);
  for (FormId& part : parts) {
    const auto predicate = choice_in({part});
    if (!predicate) continue;
    std::optional<FormId> found;
    for (const FormId holds : {*predicate, negation(*predicate)}) {
      const FormId there = where(part, holds);
      if (there == part || work_ < left.work || --left.cases < 0) return std::nullopt;
      const auto one = in_all_cases(there, left);
      if (!one || found.value_or(*one) != *one) return std::nullopt;
      found = one;
    }
    part = *found;
  }
  std::vector<std::pair<FormId, double>> all;
  for (const FormId part : parts) all.emplace_back(part, 1);
  return real_sum(forms_[sum].type, all);
}

}  // namespace tileproof::verify

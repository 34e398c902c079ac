// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/values/alike_forms.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/match.h"

namespace tileproof::verify {

using Kind = Form::Kind;

bool AlikeForms::are(FormId a, FormId b) {
  if (a == b) return true;
  if (--work_ < 0) return false;
  const auto key = std::minmax(a, b);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const bool result = compare(a, b);
  known_.emplace(key, result);
  return result;
}

bool AlikeForms::is_sum(FormId id) const {
  const Form& form = forms_.at(id);
  return (form.kind == Kind::kApply && forms_.symbol(id) == "add") ||
         (form.kind == Kind::kBag && absl::StartsWith(forms_.symbol(id), "add"));
}

void AlikeForms::add_terms(FormId id, std::vector<FormId>& terms) const {
  if (!is_sum(id)) return terms.push_back(id);
  for (const FormId operand : forms_.operands(id)) add_terms(operand, terms);
}

bool AlikeForms::compare(FormId a, FormId b) {
  const Form &x = forms_.at(a), &y = forms_.at(b);
  if (x.type != y.type) return false;
  const bool has_bag = x.kind == Kind::kBag || y.kind == Kind::kBag;
  if (any_order_ && has_bag && is_sum(a) && is_sum(b)) return are_sums(a, b);
  if (x.kind != y.kind || x.symbol != y.symbol || x.number != y.number || x.count != y.count) {
    return false;
  }
  if (x.kind == Kind::kBag) return match(ids_of(a), ids_of(b));
  if (x.kind != Kind::kApply && x.kind != Kind::kChoose) return false;
  const auto of_a = forms_.operands(a), of_b = forms_.operands(b);
  const bool in_order = std::equal(of_a.begin(), of_a.end(), of_b.begin(),
                                   [&](FormId l, FormId r) { return are(l, r); });
  if (in_order) return true;
  const std::string& name = forms_.symbol(a);
  return (name == "add" || name == "multiply") && are(of_a[0], of_b[1]) && are(of_a[1], of_b[0]);
}

std::vector<FormId> AlikeForms::ids_of(FormId id) const {
  return {forms_.operands(id).begin(), forms_.operands(id).end()};
}

bool AlikeForms::are_sums(FormId a, FormId b) {
  std::vector<FormId> left, right;
  add_terms(a, left);
  add_terms(b, right);
  return match(std::move(left), std::move(right));
}

bool AlikeForms::match(std::vector<FormId> left, std::vector<FormId> right) {
  if (left.size() != right.size()) return false;
  std::ranges::sort(left);
  std::ranges::sort(right);
  std::vector<FormId> only_left, only_right;
  std::ranges::set_difference(left, right, std::back_inserter(only_left));
  std::ranges::set_difference(right, left, std::back_inserter(only_right));
  for (const FormId one : only_left) {
    const auto at = std::ranges::find_if(only_right, [&](FormId other) { return are(one, other); });
    if (at == only_right.end()) return false;
    only_right.erase(at);
  }
  return true;
}

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/values/alike_forms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "spec/hlo/float_arithmetic.h"

namespace tileproof::verify {

using Kind = Form::Kind;

bool AlikeForms::are(FormId a, FormId b) { return are_one(a, b) || are_in_cases(a, b); }

bool AlikeForms::are_one(FormId a, FormId b) {
  if (a == b) return true;
  if (--work_ < 0) return false;
  const auto key = std::minmax(a, b);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const bool result = compare(a, b);
  known_.emplace(key, result);
  return result;
}

bool AlikeForms::reduces(FormId id, absl::string_view name) const {
  const Form& form = forms_.at(id);
  return (form.kind == Kind::kApply && forms_.symbol(id) == name) ||
         (form.kind == Kind::kBag && absl::StartsWith(forms_.symbol(id), name));
}

void AlikeForms::add_terms(FormId id, absl::string_view name, std::vector<FormId>& terms) const {
  if (!reduces(id, name)) return terms.push_back(id);
  for (const FormId operand : forms_.operands(id)) add_terms(operand, name, terms);
}

bool AlikeForms::compare(FormId a, FormId b) {
  const Form &x = forms_.at(a), &y = forms_.at(b);
  if (x.type != y.type) return false;
  const bool has_bag = x.kind == Kind::kBag || y.kind == Kind::kBag;
  for (const absl::string_view name : {"add", "multiply"}) {
    if (any_order_ && has_bag && reduces(a, name) && reduces(b, name)) {
      return are_reductions(a, b, name);
    }
  }
  if (x.kind == Kind::kRealSum || y.kind == Kind::kRealSum) return are_real_sums(a, b);
  for (const FormId one : {a, b}) {
    const bool is_choice = forms_.at(one).kind == Kind::kApply && forms_.symbol(one) == "select";
    if (is_choice) return are_in_cases(a, b);
  }
  if (x.kind != y.kind || x.symbol != y.symbol || x.number != y.number || x.count != y.count) {
    return false;
  }
  if (x.kind == Kind::kBag) return match(ids_of(a), ids_of(b));
  if (x.kind == Kind::kRealProduct)
    return match_scaled(scaled_of(a, x.kind), scaled_of(b, x.kind), 0);
  if (x.kind != Kind::kApply && x.kind != Kind::kChoose && x.kind != Kind::kOfArrays) return false;
  const std::vector<FormId> of_a = ids_of(a), of_b = ids_of(b);
  const bool is_turnable = forms_.symbol(a) == "add" || forms_.symbol(a) == "multiply";
  const bool in_order = std::equal(of_a.begin(), of_a.end(), of_b.begin(),
                                   [&](FormId l, FormId r) { return are_one(l, r); });
  return in_order || (is_turnable && are_one(of_a[0], of_b[1]) && are_one(of_a[1], of_b[0]));
}

// Where predicates decide each other, cases are about as many as the choices. No more are looked at than there are
// pairs of choices: those of n predicates that have nothing to do with each other would be 2^n.
bool AlikeForms::are_in_cases(FormId a, FormId b) {
  if (forms_.at(a).type != forms_.at(b).type || --work_ < 0) return false;
  const auto [known, is_new] = in_cases_.try_emplace(std::minmax(a, b), false);
  if (!is_new) return known->second;
  const bool is_first = !cases_left_;
  if (is_first) cases_left_ = forms_.pairs_of_choices({a, b});
  const bool result = --*cases_left_ >= 0 && are_in_each_case(a, b);
  if (is_first) cases_left_.reset();
  return in_cases_[std::minmax(a, b)] = result;
}

// Whether they are where a predicate of them holds, and where it does not.
bool AlikeForms::are_in_each_case(FormId a, FormId b) {
  if (forms_.are_equal_in_cases(a, b)) return true;
  const auto predicate = forms_.choice_in({a, b});
  if (!predicate) return false;
  for (const FormId one : {*predicate, forms_.negation(*predicate)}) {
    const FormId left = forms_.where(a, one), right = forms_.where(b, one);
    const bool is_open = left == a && right == b;
    if (is_open || forms_.is_exhausted()) return false;
    if (!are_one(left, right) && !are_in_cases(left, right)) return false;
  }
  return true;
}

AlikeForms::Scaled AlikeForms::scaled_of(FormId id, Kind kind) const {
  const bool is_sum = kind == Kind::kRealSum;
  if (forms_.at(id).kind != kind) return {{id, 1}};
  Scaled all;
  for (size_t k = 0; k < forms_.operands(id).size(); ++k) {
    const int64_t factor = forms_.factors(id)[k];
    all.emplace_back(forms_.operands(id)[k],
                     is_sum ? std::bit_cast<double>(factor) : static_cast<double>(factor));
  }
  return all;
}

// Numbers of such sums are rounded here and there.
bool AlikeForms::are_real_sums(FormId a, FormId b) {
  const auto number_of = [&](FormId id) {
    const Form& form = forms_.at(id);
    return form.kind == Kind::kRealSum ? std::bit_cast<double>(form.number) : 0;
  };
  const auto format = spec::float_format(forms_.at(a).type);
  if (!format) return false;
  const double unit = std::ldexp(1.0, 2 - format->significand);
  return is_near(number_of(a), number_of(b), unit) &&
         match_scaled(scaled_of(a, Kind::kRealSum), scaled_of(b, Kind::kRealSum), unit);
}

bool AlikeForms::is_near(double x, double y, double unit) {
  return std::abs(x - y) <= unit * std::max(std::abs(x), std::abs(y));
}

bool AlikeForms::match_scaled(const Scaled& left, Scaled right, double unit) {
  if (left.size() != right.size()) return false;
  const auto is_one_of = [&](const std::pair<FormId, double>& one, auto is_same) {
    const auto at = std::ranges::find_if(right, [&](const std::pair<FormId, double>& other) {
      return is_near(one.second, other.second, unit) && is_same(one.first, other.first);
    });
    if (at == right.end()) return false;
    right.erase(at);
    return true;
  };
  Scaled open;
  for (const auto& one : left) {
    if (!is_one_of(one, std::equal_to<FormId>())) open.push_back(one);
  }
  return std::ranges::all_of(open, [&](const auto& one) {
    return is_one_of(one, [&](FormId l, FormId r) { return are_one(l, r); });
  });
}

std::vector<FormId> AlikeForms::ids_of(FormId id) const {
  return {forms_.operands(id).begin(), forms_.operands(id).end()};
}

bool AlikeForms::are_reductions(FormId a, FormId b, absl::string_view name) {
  std::vector<FormId> left, right;
  add_terms(a, name, left);
  add_terms(b, name, right);
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
    const auto at =
        std::ranges::find_if(only_right, [&](FormId other) { return are_one(one, other); });
    if (at == only_right.end()) return false;
    only_right.erase(at);
  }
  return true;
}

}  // namespace tileproof::verify

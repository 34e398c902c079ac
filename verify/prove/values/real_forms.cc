// SPDX-License-Identifier: Apache-2.0
// Floating-point sums and products as those of real numbers (the law kReal).
//
//     a sum is      c + c1 m1 + c2 m2 + ..     numbers, and products m of powers of forms
//     (x + y) z     1 x z + 1 y z              where the sums are short
//     x / (2 y)     0.5 x y^-1
//     [p] x         select(p, x, 0); [p] [q] is [p and q]
//     exp(x) exp(y) exp(x + y); sqrt(x) sqrt(x) is x, and abs(x) abs(x) is x x
//
// Numbers are rounded to the type once, as constants that a compiler folds. Infinities and NaN are
// forms like any other.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "spec/hlo/float_arithmetic.h"
#include "verify/prove/values/forms.h"

namespace tileproof::verify {

namespace {

int64_t double_bits(double x) { return std::bit_cast<int64_t>(x == 0 ? 0.0 : x); }

}  // namespace

Forms::RealSum Forms::real_sum_of(FormId id) const {
  const Form& form = forms_[id];
  if (const auto x = number_of(id); x && std::isfinite(*x)) return {*x, {}};
  if (form.kind != Kind::kRealSum) return {0, {{id, 1}}};
  RealSum sum{std::bit_cast<double>(form.number), {}};
  for (size_t k = 0; k < form.count; ++k) {
    sum.terms.emplace_back(operands(id)[k], std::bit_cast<double>(factors(id)[k]));
  }
  return sum;
}

// The factors of a product, each with its power; one, if it is none.
Forms::Scaled Forms::powers_of(FormId id) const {
  if (forms_[id].kind != Kind::kRealProduct) return {{id, 1}};
  Scaled powers;
  for (size_t k = 0; k < forms_[id].count; ++k) {
    powers.emplace_back(operands(id)[k], factors(id)[k]);
  }
  return powers;
}

bool Forms::is_short_sum(spec::TermId term) {
  const Form& form = forms_[of(term)];
  constexpr uint32_t kShort = 4;
  return (form.kind == Kind::kRealSum && form.count <= kShort) || form.kind == Kind::kRealProduct;
}

FormId Forms::real_sum(ElementType type, const std::vector<std::pair<FormId, double>>& given) {
  struct Factor {
    double sum = 0, size = 0;
    void add(double x) {
      sum += x;
      size = std::max(size, std::abs(x));
    }
  };
  Factor number_left;
  std::map<FormId, Factor> terms;
  for (const auto& [id, by] : given) {
    const RealSum one = real_sum_of(id);
    number_left.add(by * one.number);
    work_ -= std::ssize(one.terms);
    for (const auto& [term, factor] : one.terms) terms[term].add(by * factor);
  }
  // What is left of numbers that are rounded and cancel is nothing.
  const auto rounded = [&](const Factor& factor) {
    const double unit = std::ldexp(1.0, 1 - spec::float_format(type)->significand);
    return std::abs(factor.sum) <= unit * factor.size ? 0 : spec::rounded(type, factor.sum);
  };
  Ids ids;
  std::vector<int64_t> factors;
  for (const auto& [term, factor] : terms) {
    if (rounded(factor) == 0) continue;
    ids.push_back(term);
    factors.push_back(double_bits(rounded(factor)));
  }
  const double number = rounded(number_left);
  if (ids.empty()) return this->number(type, number);
  if (ids.size() == 1 && number == 0 && std::bit_cast<double>(factors[0]) == 1) return ids[0];
  return intern({.kind = Kind::kRealSum, .type = type, .number = double_bits(number)}, ids,
                factors);
}

// 1 if the predicate holds, else 0.
bool Forms::is_real_truth(FormId id) const {
  return symbol_is(id, "select") && number_of(operands(id)[1]) == 1 &&
         number_of(operands(id)[2]) == 0;
}

// Of forms that are no sums and no numbers.
FormId Forms::real_monomial(ElementType type, FormId a, FormId b) {
  std::map<FormId, int64_t> powers;
  Ids predicates;
  for (const FormId side : {a, b}) {
    for (const auto& [one, power] : powers_of(side)) {
      if (is_real_truth(one)) {
        predicates.push_back(operands(one)[0]);
      } else {
        powers[one] += power;
      }
    }
  }
  if (!predicates.empty()) {
    const FormId all = both(predicates);
    const FormId truth = select(all, number(type, 1), number(type, 0));
    if (!is_real_truth(truth)) {  // never, or a negation
      std::erase_if(powers, [](const auto& power) { return power.second == 0; });
      return real_product(truth, real_powers(type, powers));
    }
    powers[truth] = 1;
  }
  return real_powers(type, powers);
}

// Products of exponentials are one of a sum, and a square root to the power of 2 is what is inside. The square of
// a magnitude is that of the number.
std::optional<FormId> Forms::joined_powers(ElementType type, std::map<FormId, int64_t> powers) {
  std::vector<std::pair<FormId, double>> exponent;
  FormId roots = number(type, 1);
  for (auto& [id, power] : powers) {
    if (symbol_is(id, "exponential") && power != 0) {
      exponent.emplace_back(operands(id)[0], static_cast<double>(power));
    }
    constexpr int64_t kMost = 8;
    const bool is_abs = is_magnitude(id);
    if ((!symbol_is(id, "sqrt") && !is_abs) || power > kMost || power < -kMost) continue;
    FormId inside = operands(id)[0];
    if (is_abs && std::abs(power) >= 2) inside = real_product(inside, inside);
    for (; power >= 2; power -= 2) roots = real_product(roots, inside);
    for (; power <= -2; power += 2) roots = real_product(roots, real_inverse(inside));
  }
  const bool is_alone = exponent.empty() || (exponent.size() == 1 && exponent[0].second == 1);
  if (is_alone && number_of(roots) == 1) return std::nullopt;
  if (!exponent.empty()) {
    std::erase_if(powers, [&](const auto& one) { return symbol_is(one.first, "exponential"); });
    const FormId sum = real_sum(type, exponent);
    roots = real_product(roots, real_exponential(sum));
  }
  return real_product(roots, real_powers(type, powers));
}

// exp(x + 2 log(y)) = exp(x) y^2
FormId Forms::real_exponential(FormId a) {
  const ElementType type = forms_[a].type;
  if (number_of(a) == 0) return number(type, 1);
  FormId all = number(type, 1), left = a;
  for (const auto& [term, by] : real_sum_of(a).terms) {
    constexpr double kMost = 8;
    if (!symbol_is(term, "log") || std::trunc(by) != by || std::abs(by) > kMost) continue;
    const FormId inside = operands(term)[0];
    left = real_sum(type, {{left, 1}, {term, -by}});
    for (double k = 0; k < std::abs(by); ++k) {
      all = real_product(all, by < 0 ? real_inverse(inside) : inside);
    }
  }
  const bool is_one = number_of(left) == 0;
  return is_one ? all : real_product(all, apply("exponential", type, {left}));
}

FormId Forms::real_powers(ElementType type, const std::map<FormId, int64_t>& powers) {
  if (const auto joined = joined_powers(type, powers)) return *joined;
  Ids ids;
  std::vector<int64_t> exponents;
  for (const auto& [id, exponent] : powers) {
    if (exponent == 0) continue;
    ids.push_back(id);
    exponents.push_back(exponent);
  }
  if (ids.empty()) return number(type, 1);
  if (ids.size() == 1 && exponents[0] == 1) return ids[0];
  return intern({.kind = Kind::kRealProduct, .type = type}, ids, exponents);
}

FormId Forms::real_product(FormId a, FormId b) {
  const ElementType type = forms_[a].type;
  const RealSum x = real_sum_of(a), y = real_sum_of(b);
  for (const auto& [sum, other] : {std::pair(&x, b), std::pair(&y, a)}) {
    if (sum->terms.empty()) return real_sum(type, {{other, sum->number}});
  }
  // A product of long sums stays one.
  const auto length = [](const RealSum& sum) {
    return std::ssize(sum.terms) + (sum.number == 0 ? 0 : 1);
  };
  const bool one_is_single = length(x) == 1 || length(y) == 1;
  constexpr int64_t kLong = 4096, kLongOfSums = 512;
  if (length(x) * length(y) > (one_is_single ? kLong : kLongOfSums)) {
    // The first number of each sum is 1: (-2 s) t is -2 (s t).
    double by = 1;
    Ids monic = {a, b};
    for (const auto& [sum, side] : {std::pair(&x, &monic[0]), std::pair(&y, &monic[1])}) {
      const double first = length(*sum) > 1 ? sum->terms[0].second : 1;
      if (first == 1) continue;
      *side = real_sum(type, {{*side, 1 / first}});
      by *= first;
    }
    return real_sum(type, {{real_monomial(type, monic[0], monic[1]), by}});
  }
  std::vector<std::pair<FormId, double>> all;
  for (const auto& [m, by_m] : x.terms) {
    for (const auto& [n, by_n] : y.terms) {
      if (work_ < 0) return a;
      all.emplace_back(real_monomial(type, m, n), by_m * by_n);
    }
    all.emplace_back(m, by_m * y.number);
  }
  for (const auto& [n, by_n] : y.terms) all.emplace_back(n, by_n * x.number);
  all.emplace_back(number(type, 1), x.number * y.number);
  return real_sum(type, all);
}

// The positive factor that all terms of all sums have.
std::optional<double> Forms::shared_factor(const Ids& all) const {
  std::optional<double> shared;
  for (const FormId one : all) {
    const RealSum sum = real_sum_of(one);
    if (sum.number != 0) return std::nullopt;
    for (const auto& [term, by] : sum.terms) {
      if (shared.value_or(by) != by || by <= 0) return std::nullopt;
      shared = by;
    }
  }
  return shared == 1 ? std::nullopt : shared;
}

// max(x + z, y + z) = max(x, y) + z, max(2 x, 2 y) = 2 max(x, y), and max(x + 2, 5) = max(x, 3) + 2
std::optional<FormId> Forms::real_extreme(bool is_max, ElementType type, const Ids& all) {
  if (const auto by = shared_factor(all)) {
    Ids left;
    for (const FormId one : all) {
      std::vector<std::pair<FormId, double>> terms = real_sum_of(one).terms;
      for (auto& term : terms) term.second = 1;
      left.push_back(real_sum(type, terms));
    }
    return real_sum(type, {{float_extreme(is_max, type, left), *by}});
  }
  const auto is_infinite = [&](FormId one) { return std::isinf(number_of(one).value_or(0)); };
  std::optional<double> least;  // number that is added
  for (const FormId one : all) {
    const RealSum sum = real_sum_of(one);
    if (!number_of(one)) least = std::min(least.value_or(sum.number), sum.number);
  }
  const bool is_known = std::isfinite(least.value_or(0)) && std::ranges::none_of(all, is_infinite);
  if (is_known && least.value_or(0) != 0) {
    const FormId by = number(type, *least);
    Ids left = all;
    for (FormId& one : left) one = real_sum(type, {{one, 1}, {by, -1}});
    return real_sum(type, {{float_extreme(is_max, type, left), 1}, {by, 1}});
  }
  std::map<FormId, double> shared;
  for (size_t k = 0; k < all.size(); ++k) {
    std::map<FormId, double> both;
    for (const auto& [term, by] : real_sum_of(all[k]).terms) {
      if (k == 0 || (shared.contains(term) && shared.at(term) == by)) both[term] = by;
    }
    shared = std::move(both);
  }
  if (shared.empty() || all.size() < 2) return std::nullopt;
  std::vector<std::pair<FormId, double>> sum;
  Ids left = all;
  for (const auto& [term, by] : shared) {
    sum.emplace_back(term, by);
    for (FormId& one : left) one = real_sum(type, {{one, 1}, {term, -by}});
  }
  sum.emplace_back(float_extreme(is_max, type, left), 1);
  return real_sum(type, sum);
}

// 1 / a. That of a sum is one of the sum whose first number is 1.
FormId Forms::real_inverse(FormId a) {
  const ElementType type = forms_[a].type;
  const RealSum sum = real_sum_of(a);
  if (sum.terms.empty()) return number(type, spec::rounded(type, 1 / sum.number));
  const double by = 1 / sum.terms[0].second;
  std::map<FormId, int64_t> powers;
  if (sum.terms.size() == 1 && sum.number == 0) {
    const FormId only = sum.terms[0].first;
    const bool is_product = forms_[only].kind == Kind::kRealProduct;
    for (size_t k = 0; is_product && k < forms_[only].count; ++k) {
      powers[operands(only)[k]] = -factors(only)[k];
    }
    if (!is_product) powers[only] = -1;
  } else {
    powers[real_sum(type, {{a, by}})] = -1;
  }
  return real_sum(type, {{real_powers(type, powers), by}});
}

// What `a` is where the predicate holds, or where it does not: [p] x is x, or 0.
FormId Forms::real_where(FormId a, FormId predicate, bool holds) {
  const ElementType type = forms_[a].type;
  const RealSum sum = real_sum_of(a);
  std::vector<std::pair<FormId, double>> all = {{number(type, 1), sum.number}};
  bool is_same = true;
  for (const auto& [term, by] : sum.terms) {
    const bool is_product = forms_[term].kind == Kind::kRealProduct;
    const Ids of = is_product ? Ids(operands(term).begin(), operands(term).end()) : Ids{term};
    const auto truth = std::ranges::find_if(of, [&](FormId one) { return is_real_truth(one); });
    const FormId known = truth == of.end() ? term : operands(*truth)[0];
    Ids parts = {known};
    if (forms_[known].kind == Kind::kAnd) {
      parts.assign(operands(known).begin(), operands(known).end());
    }
    if (truth == of.end() || std::ranges::count(parts, predicate) == 0) {
      all.emplace_back(term, by);
      continue;
    }
    is_same = false;
    if (!holds) continue;
    std::erase(parts, predicate);
    std::map<FormId, int64_t> powers;
    for (size_t k = 0; k < of.size(); ++k) {
      if (of[k] != *truth) powers[of[k]] = is_product ? factors(term)[k] : 1;
    }
    const FormId rest = select(both(parts), number(type, 1), number(type, 0));
    all.emplace_back(real_product(rest, real_powers(type, powers)), by);
  }
  return is_same ? a : real_sum(type, all);
}

}  // namespace tileproof::verify

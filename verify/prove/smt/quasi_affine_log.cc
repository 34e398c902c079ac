// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/quasi_affine_log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/lemmas/lemmas_rewriting.h"

namespace tileproof::verify {
namespace {

using trace::to_text;

// "range-point(x = d0, v = 5)"
template <size_t count, class Statement>
std::string instance(const impl::Lemma<count, Statement>& lemma,
                     const std::array<std::string, count>& values) {
  std::string text(lemma.name);
  for (size_t i = 0; i < count; ++i) {
    absl::StrAppend(&text, i == 0 ? "(" : ", ", lemma.variables[i], " = ", values[i]);
  }
  return text + ")";
}

Sum without_constant(Sum sum) {
  sum.constant = 0;
  return sum;
}

}  // namespace

void QuasiAffineLog::attach(const QuasiAffineContext& context) {
  context_ = &context;
  equations_.clear();
  names_.clear();
  range_steps_.clear();
}

// ---- Texts ----

std::string QuasiAffineLog::name_of(int32_t atom) {
  const QuasiAffineContext::Atom& at = context_->atoms()[atom];
  std::string& name = names_[atom];
  if (!name.empty()) return name;
  if (at.divisor != 0) return name = floor_name(at.dividend, at.divisor);
  if (atom < dimensions_) return name = absl::StrCat("d", atom);
  if (atom < dimensions_ + ranges_) return name = absl::StrCat("s", atom - dimensions_);
  return name = absl::StrCat("rt", atom - dimensions_ - ranges_);
}

std::string QuasiAffineLog::text_of(const Sum& sum) {
  if (sum.too_large) incomplete_ = true;
  std::string text;
  const auto append = [&](Wide coefficient, const std::string& monomial) {
    const std::string number = to_text(coefficient);
    absl::string_view size = number;
    const bool negative = coefficient < 0;
    if (negative) size.remove_prefix(1);
    absl::StrAppend(&text, text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + "));
    if (monomial.empty()) {
      absl::StrAppend(&text, size);
    } else {
      absl::StrAppend(&text, monomial, size == "1" ? "" : absl::StrCat(" * ", size));
    }
  };
  for (const auto& [product, coefficient] : sum.terms) {
    const auto append_name = [&](std::string* to, int32_t atom) { *to += name_of(atom); };
    append(coefficient, absl::StrJoin(product, " * ", append_name));
  }
  if (sum.constant != 0 || text.empty()) append(sum.constant, "");
  return text;
}

std::string QuasiAffineLog::floor_name(const Sum& x, Wide c) {
  const std::string inside = text_of(x), divisor = to_text(c);
  std::string& name = floor_names_[absl::StrCat("(", inside, ") floordiv ", divisor)];
  if (name.empty()) {
    name = absl::StrCat("f", lets_.size() + 1);
    lets_.push_back({0, name, inside, divisor});
  }
  return name;
}

std::string QuasiAffineLog::interval_text(const std::string& of, const Range& range) {
  const auto end = [&](const spec::Exact& value) {
    if (!value.value) incomplete_ = true;
    return to_text(value.value.value_or(0));
  };
  return absl::StrCat(of, " in [", end(range.low), ", ", end(range.high), "]");
}

// ---- Steps ----

int QuasiAffineLog::add(trace::Step step) {
  const auto number = static_cast<int>(steps_.size());
  const auto [line, is_new] = lines_.try_emplace(trace::to_text(step), number);
  if (is_new) steps_.push_back(std::move(step));
  return line->second;
}

int QuasiAffineLog::add_by_lemma(std::string says, std::string by, std::vector<int> given) {
  return add({0, std::move(says), std::move(by), {}, std::move(given), {}});
}

// The step that states floor(x / c) = value. Empty if no step rewrote the floor.
std::vector<int> QuasiAffineLog::equation_of(const Sum& x, Wide c) {
  if (x.is_number() || c == 1) return {};
  const auto found = equations_.find(floor_name(x, c));
  if (found == equations_.end()) return {};
  return {found->second};
}

void QuasiAffineLog::add_equation(const Sum& x, Wide c, const Sum& value, std::string by,
                                  std::vector<int> given, std::vector<int> rules) {
  const std::string name = floor_name(x, c);
  const int step = add({0,
                        absl::StrCat(name, " = ", text_of(value)),
                        std::move(by),
                        {},
                        std::move(given),
                        std::move(rules)});
  equations_.emplace(name, step);
}

void QuasiAffineLog::pull_multiple(const Sum& x, Wide c, const Sum& whole, const Sum& rest,
                                   const Sum& value) {
  if (x.is_number() || equations_.contains(floor_name(x, c))) return;
  add_equation(x, c, value,
               instance(impl::kPullMultiple, {text_of(whole), text_of(rest), to_text(c)}), {},
               equation_of(rest, c));
}

// x = g * reduced + k: the constant k is a small part.
void QuasiAffineLog::common_factor(const Sum& x, Wide c, const Sum& reduced, Wide g,
                                   const Sum& value) {
  if (x.is_number() || equations_.contains(floor_name(x, c))) return;
  const Wide rest = x.constant - g * reduced.constant;
  std::string by =
      rest == 0 ? instance(impl::kCommonFactor, {text_of(reduced), to_text(g), to_text(c / g)})
                : instance(impl::kDropSmallPart,
                           {text_of(reduced), to_text(rest), to_text(g), to_text(c / g), "0"});
  add_equation(x, c, value, std::move(by), {}, equation_of(reduced, c / g));
}

void QuasiAffineLog::one_cell(const Sum& x, Wide c, const Sum& value) {
  if (equations_.contains(floor_name(x, c))) return;
  add_equation(x, c, value, instance(impl::kOneCell, {text_of(x), to_text(c), text_of(value)}),
               {range_step(x)}, {});
}

void QuasiAffineLog::drop_small_part(const Sum& x, Wide c, const SmallPart& part, Wide g, Wide m,
                                     const Sum& smaller, const Sum& value) {
  if (equations_.contains(floor_name(x, c))) return;
  Sum whole = smaller;
  whole.constant -= m;
  std::vector<int> given;
  if (!part.part.is_number()) given.push_back(small_part_step(part));
  add_equation(x, c, value,
               instance(impl::kDropSmallPart, {text_of(whole), text_of(part.part), to_text(g),
                                               to_text(c / g), to_text(m)}),
               std::move(given), equation_of(smaller, c / g));
}

void QuasiAffineLog::merge_inner_floor(const Sum& x, Wide c, int32_t inner, const Sum& outside,
                                       const Sum& merged, const Sum& value) {
  if (equations_.contains(floor_name(x, c))) return;
  const QuasiAffineContext::Atom& floor = context_->atoms()[inner];
  add_equation(x, c, value,
               instance(impl::kMergeInnerFloor, {text_of(floor.dividend), text_of(outside),
                                                 to_text(floor.divisor), to_text(c)}),
               {}, equation_of(merged, floor.divisor * c));
}

void QuasiAffineLog::use_floor(const Sum& x, Wide c) {
  for (int step : equation_of(x, c)) used_.push_back(step);
}

void QuasiAffineLog::use_constant_variable(int32_t variable) {
  const std::string name = name_of(variable);
  const std::string value = to_text(context_->atoms()[variable].range.low.value.value_or(0));
  used_.push_back(add_by_lemma(absl::StrCat(name, " = ", value),
                               instance(impl::kRangePoint, {name, value}), {atom_step(variable)}));
}

std::vector<int> QuasiAffineLog::take_used() {
  std::ranges::sort(used_);
  used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  return std::exchange(used_, {});
}

// ---- Ranges ----

int QuasiAffineLog::range_step(const Sum& sum) {
  const Sum part = without_constant(sum);
  if (part.terms.size() == 1 && part.terms.begin()->second == 1) {
    return product_step(part.terms.begin()->first);
  }
  std::vector<std::string> factors;
  std::vector<int> given;
  for (const auto& [product, coefficient] : part.terms) {
    factors.push_back(to_text(coefficient));
    given.push_back(product_step(product));
  }
  return add_by_lemma(interval_text(text_of(part), context_->range_of(part)),
                      absl::StrCat("sum(", absl::StrJoin(factors, ", "), ")"), std::move(given));
}

int QuasiAffineLog::atom_step(int32_t number) {
  const QuasiAffineContext::Atom& atom = context_->atoms()[number];
  const std::string says = interval_text(name_of(number), atom.range);
  if (atom.divisor == 0) return add_by_lemma(says, "known");
  const Range inside = context_->range_of(atom.dividend);
  const std::string low = to_text(inside.low.value.value_or(0));
  const std::string high = to_text(inside.high.value.value_or(0));
  if (!inside.low.value || !inside.high.value) incomplete_ = true;
  return add_by_lemma(says,
                      instance(impl::kRangeFloorDivPositive,
                               {text_of(atom.dividend), to_text(atom.divisor), low, high}),
                      {range_step(atom.dividend)});
}

// The step that states the range of the product, from the ranges of its factors.
int QuasiAffineLog::product_step(const Product& product) {
  const auto [known, is_new] = range_steps_.try_emplace(product, -1);
  if (!is_new) return known->second;
  if (product.size() == 1) return range_steps_[product] = atom_step(product[0]);
  const Product left(product.begin(), product.end() - 1), right = {product.back()};
  const int of_left = product_step(left), of_right = product_step(right);
  const Range a = context_->range_of(left), b = context_->range_of(right);
  const Range both = context_->range_of(product);
  // The context knows that a square is not negative. No lemma says so.
  const bool is_square = product.size() == 2 && product[0] == product[1];
  if (is_square && a.low.value && *a.low.value < 0) incomplete_ = true;
  const auto text = [&](const Product& p) { return text_of(Sum{nullptr, {{p, 1}}, 0, false}); };
  const auto end = [&](const spec::Exact& value) {
    if (!value.value) incomplete_ = true;
    return to_text(value.value.value_or(0));
  };
  return range_steps_[product] =
             add_by_lemma(interval_text(text(product), both),
                          instance(impl::kRangeProduct,
                                   {text(left), text(right), end(a.low), end(a.high), end(b.low),
                                    end(b.high), end(both.low), end(both.high)}),
                          {of_left, of_right});
}

// The step that states the range of the part.
int QuasiAffineLog::small_part_step(const SmallPart& part) {
  if (!part.remainder_of) return range_step(part.part);
  const QuasiAffineContext::Atom& floor = context_->atoms()[*part.remainder_of];
  const Range rest = context_->range_of(part.rest);
  std::vector<int> given;
  if (!part.rest.is_number()) given.push_back(range_step(part.rest));
  if (!rest.low.value || !rest.high.value) incomplete_ = true;
  const std::array<std::string, 6> values = {text_of(floor.dividend),
                                             text_of(part.rest),
                                             to_text(part.k),
                                             to_text(floor.divisor),
                                             to_text(rest.low.value.value_or(0)),
                                             to_text(rest.high.value.value_or(0))};
  return add_by_lemma(interval_text(text_of(part.part), part.range),
                      part.k > 0 ? instance(impl::kRangeHiddenMod, values)
                                 : instance(impl::kRangeHiddenModNegative, values),
                      std::move(given));
}

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/flat_form.h"

#include <map>
#include <tuple>
#include <utility>

#include "impl/layout/quotient_terms.h"

namespace tileproof::impl {
std::optional<FlatForm> FlatForm::of(const ClosedForm& form) {
  FlatForm flat;
  flat.inputs_ = form.inputs;
  std::vector<ValueId> values = form.outputs;
  for (const Check& check : form.checks) {
    values.push_back(check.value);
    flat.bounds_.push_back(static_cast<uint64_t>(check.bound));
  }
  std::map<std::tuple<int32_t, int64_t, uint64_t>, uint32_t> floors;  // input, divisor, multiplier
  flat.rows_.push_back(0);
  for (const ValueId value : values) {
    const auto terms = quotient_terms(form, value);
    if (!terms) return std::nullopt;
    for (const QuotientTerm& term : *terms) {
      const Divisor& by = term.divisor;
      const auto [at, is_new] = floors.try_emplace({term.input, by.value(), by.multiplier()},
                                                   static_cast<uint32_t>(flat.floors_.size()));
      if (is_new && flat.floors_.size() == kMostFloors) return std::nullopt;
      if (is_new) flat.floors_.push_back({by.multiplier(), term.input, by.shift(), by.value()});
      flat.terms_.push_back({term.weight, at->second});
    }
    flat.rows_.push_back(static_cast<uint32_t>(flat.terms_.size()));
  }
  return flat;
}

ClosedForm FlatForm::closed_form() const {
  ClosedForm form;
  form.inputs = inputs_;
  const auto append = [&form](auto operation) {
    form.operations.push_back(std::move(operation));
    return static_cast<ValueId>(form.inputs + std::ssize(form.operations) - 1);
  };
  std::vector<ValueId> floors;
  for (const Quotient& floor : floors_) {
    const bool is_input = floor.multiplier == 0 && floor.shift == 0;
    floors.push_back(is_input ? floor.input
                              : append(Floor{floor.input, Divisor(floor.divisor, floor.multiplier,
                                                                  floor.shift)}));
  }
  std::map<std::vector<std::pair<ValueId, int64_t>>, ValueId> sums;  // equal rows are one value
  std::vector<ValueId> values;
  for (size_t i = 0; i + 1 < rows_.size(); ++i) {
    Sum sum;
    std::vector<std::pair<ValueId, int64_t>> key;
    for (uint32_t k = rows_[i]; k < rows_[i + 1]; ++k) {
      const Sum::Term term{floors[terms_[k].floor], static_cast<int64_t>(terms_[k].weight)};
      sum.terms.push_back(term);
      key.emplace_back(term.value, term.weight);
    }
    if (key.size() == 1 && key[0].second == 1) {
      values.push_back(key[0].first);
      continue;
    }
    const auto [at, is_new] = sums.try_emplace(std::move(key), ValueId{0});
    if (is_new) at->second = append(std::move(sum));
    values.push_back(at->second);
  }
  const auto checks = values.end() - std::ssize(bounds_);
  form.outputs.assign(values.begin(), checks);
  for (size_t i = 0; i < bounds_.size(); ++i)
    form.checks.push_back({checks[static_cast<ptrdiff_t>(i)], static_cast<int64_t>(bounds_[i])});
  return form;
}

int64_t FlatForm::part(int32_t input, int64_t x) const {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < rows_[1]; ++k) {
    const Quotient& floor = floors_[terms_[k].floor];
    if (floor.input == input) sum += terms_[k].weight * quotient(floor, static_cast<uint64_t>(x));
  }
  return static_cast<int64_t>(sum);
}

}  // namespace tileproof::impl

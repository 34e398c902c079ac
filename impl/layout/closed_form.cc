// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/closed_form.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/fixed_array.h"

namespace tileproof::impl {

ValueId append(ClosedForm& form, Sum sum) {
  if (sum.terms.size() == 1 && sum.terms[0] == Sum::Term{sum.terms[0].value, 1})
    return sum.terms[0].value;
  const auto known = std::ranges::find(form.sums, sum);
  const auto value = static_cast<ValueId>(form.inputs + (known - form.sums.begin()));
  if (known == form.sums.end()) form.sums.push_back(std::move(sum));
  return value;
}

bool evaluate(const ClosedForm& form, absl::Span<const int64_t> inputs,
              absl::Span<int64_t> results) {
  absl::FixedArray<int64_t, 48> values(inputs.size() + form.sums.size());
  auto next = std::copy(inputs.begin(), inputs.end(), values.begin());
  for (const Sum& sum : form.sums) *next++ = evaluate(sum, values.data());
  for (const Check& check : form.checks) {
    if (static_cast<uint64_t>(values[check.value]) >= static_cast<uint64_t>(check.bound))
      return false;
  }
  for (size_t i = 0; i < form.outputs.size(); ++i) results[i] = values[form.outputs[i]];
  return true;
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/closed_form.h"

#include <cstddef>

#include "absl/container/inlined_vector.h"

namespace tileproof::impl {

bool evaluate(const ClosedForm& form, absl::Span<const int64_t> inputs,
              absl::Span<int64_t> results) {
  absl::InlinedVector<uint64_t, 48> values(inputs.begin(), inputs.end());
  values.reserve(form.inputs + form.operations.size());
  for (const auto& operation : form.operations) {
    if (const Floor* floor = std::get_if<Floor>(&operation)) {
      values.push_back(floor->divisor.quotient(values[floor->operand]));
      continue;
    }
    uint64_t sum = 0;
    for (const Sum::Term& term : std::get<Sum>(operation).terms) {
      sum += values[term.value] * static_cast<uint64_t>(term.weight);
    }
    values.push_back(sum);
  }
  for (const Check& check : form.checks) {
    if (values[check.value] >= static_cast<uint64_t>(check.bound)) return false;
  }
  for (size_t i = 0; i < form.outputs.size(); ++i) {
    results[i] = static_cast<int64_t>(values[form.outputs[i]]);
  }
  return true;
}

}  // namespace tileproof::impl

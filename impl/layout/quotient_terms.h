// SPDX-License-Identifier: Apache-2.0
// A value of a closed form as a sum of weighted quotients of inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/layout/closed_form.h"

namespace tileproof::impl {

// weight * (input floordiv divisor), modulo 2^64
struct QuotientTerm {
  uint64_t weight;
  int32_t input;
  Divisor divisor;
};

// The value v4 of closed_form.h's example: 2*v0, 8*(v0 floordiv 2), v1, 2*(v1 floordiv 2). Nothing
// if the value depends on an input in another way.
std::optional<std::vector<QuotientTerm>> quotient_terms(const ClosedForm& form, ValueId value);

}  // namespace tileproof::impl

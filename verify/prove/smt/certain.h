// SPDX-License-Identifier: Apache-2.0
// Conditions that hold for all values of the variables within their bounds, as intervals show.
//
// Beyond `always` (formula.h), a remainder counts as one: x - 12 * (x floordiv 12) is in [0, 11].
#pragma once

#include <vector>

#include "verify/prove/smt/formula.h"

namespace tileproof::verify {

// Whether the sum is at least 0 for all values; false if that is not visible.
bool is_certain(const QuasiAffineContext& context, const Sum& at_least_zero);
bool is_certain(const QuasiAffineContext& context, const Formula& formula);

// The formulas whose conjunction it is, without those that are certain.
std::vector<Formula> conditions_of(const QuasiAffineContext& context, const Formula& formula);

}  // namespace tileproof::verify

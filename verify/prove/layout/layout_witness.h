// SPDX-License-Identifier: Apache-2.0
// Finds points that show that a layout has no form in another system.
//
//     (2,2):(1,1) is no tiled layout: the elements [1,0] and [0,1] have one offset, 1
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/layout/digit_layout.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/smt/proof_session.h"

namespace tileproof::verify {

// Finds the digits of a function from its offsets. FailedPrecondition: no nested layout is this
// function; the message has a counterexample that the reference confirmed.
//
// The offset of a nested layout is a sum over the dimensions. Along one dimension, let n be the
// first index at which the offset h is not n * h(1). Then n is the first digit of every nested
// layout of this function, so h(x) = h(x mod n) + h(x - x mod n); and so on for h(n * y).
//
// The scan of a long dimension stops early, so the caller must prove that these are the digits.
absl::StatusOr<impl::DigitLayout> digits_by_looking(const spec::LayoutFunction& function,
                                                    ProofSession& session);

// Returns why the offset at this index is not a sum over the dimensions, if it is not.
std::optional<std::string> why_no_sum_at(const spec::LayoutFunction& function,
                                         const std::vector<int64_t>& index);

// Returns why no tiled layout is this function: an offset below 0, or two elements at one offset.
// `digits` are the digits of the function.
std::optional<std::string> why_not_tiled(const spec::LayoutFunction& function,
                                         const impl::DigitLayout& digits);

}  // namespace tileproof::verify

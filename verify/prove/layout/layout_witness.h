// Points that show that a layout has no form in another system.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/layout/digit_layout.h"
#include "verify/prove/layout/layout_function.h"
#include "verify/prove/smt/smt_context.h"

namespace tileproof::verify {

// The digits of a function, found by looking at its offsets; or why no nested layout is this
// function (FailedPrecondition), evaluated by the reference.
//
// The offset of a nested layout is a sum over the dimensions. Along one dimension let n be the
// first index at which the offset h is not n * h(1): then every nested layout has n as its first
// digit, so that h(x) = h(x mod n) + h(x - x mod n), and so on for h(n * y).
//
// Long dimensions are not looked at to their ends: that these are the digits has to be proven.
absl::StatusOr<impl::DigitLayout> digits_by_looking(const LayoutFunction& function,
                                                    ProofSession& session);

// Why the offset is no sum over the dimensions, where it is none at this index.
std::optional<std::string> why_no_sum_at(const LayoutFunction& function,
                                         const std::vector<int64_t>& index);

// Why no tiled layout is this function: an offset below 0, or two elements at one offset. `digits`
// are those of the function.
std::optional<std::string> why_not_tiled(const LayoutFunction& function,
                                         const impl::DigitLayout& digits);

}  // namespace tileproof::verify

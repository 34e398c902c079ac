// Points that show that a layout has no form in another system.
#pragma once

#include <optional>
#include <string>

#include "impl/digit_layout.h"
#include "verify/layout_function.h"
#include "verify/solver.h"

namespace tileproof::verify {

// Why no nested layout is this function, evaluated by the reference; nothing where none was found.
//
// The offset of a nested layout is a sum over the dimensions. Along one dimension let n be the
// first index at which the offset h is not n * h(1): then every nested layout has n as its first
// digit, so that h(x) = h(x mod n) + h(x - x mod n), and so on for h(n * y).
std::optional<std::string> why_not_nested(const LayoutFunction& function, ProofSession& session);

// Why no tiled layout is this function: an offset below 0, or two elements at one offset. `digits`
// are those of the function.
std::optional<std::string> why_not_tiled(const LayoutFunction& function,
                                         const impl::DigitLayout& digits);

}  // namespace tileproof::verify

// A form that is, as a whole, the remainder of a division.
//
//     x - c * f,  f = floor((x + t) / c)        (x + t) mod c - t, in [-t, c - 1 - t]
//
// Where a step of floor_of has changed f (merge-inner-floor: (d0 mod 7) floordiv 3 is
// floor((2 * d0 + 2) / 7)), nothing in f shows c and x. But a normal form is one for its value: if
// the normal form of floor((x + t) / c) is f, then f is that floor. Which t to ask for, the values
// of the form at a few points of the domain's box tell; they refuse most forms before anything is
// asked.
#pragma once

#include <optional>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// The form, of some terms and no constant, by that mod: words of one term and a constant, whose
// meaning is the form. Factors of 30 bits and more are not looked at.
std::optional<Linear> recognize_mod(NormalFormContext& context, const Linear& form);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Recognizes a form that is, as a whole, the remainder of a division.
//
//     x - c * f,  f = floor((x + t) / c)        (x + t) mod c - t, in [-t, c - 1 - t]
//
// If a step of floor_of has changed f, its structure no longer shows c and x (merge-inner-floor:
// (d0 mod 7) floordiv 3 is floor((2 * d0 + 2) / 7)). But a value has one normal form: if the normal
// form of floor((x + t) / c) is f, then f is that floor. The values of the form at a few points of
// the domain's box determine which t to try, and exclude most forms early.
#pragma once

#include <optional>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// The form as that mod: a rendering of one term and a constant, whose meaning is the form. Ignores
// forms with factors of 30 bits or more.
std::optional<Linear> recognize_mod(NormalFormContext& context, const Linear& form);

}  // namespace tileproof::impl

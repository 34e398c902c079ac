// SPDX-License-Identifier: Apache-2.0
// Ranges of normal forms: an interval that contains every value over the domain.
//
// Interval arithmetic over the atoms is exact if they are independent, and loose if the form
// contains both a floor and its operand. Rewriting in digits helps then: in
//
//     x = (x mod 4) + 4 * (floor(x / 4) mod 2) + 8 * floor(x / 8)
//
// the parts are independent, so the digits give the range of a combination of x, floor(x / 4) and
// floor(x / 8). Example: for x in [0, 99], x - 4 * floor(x / 4) is x mod 4, in [0, 3]; interval
// arithmetic alone gives [-96, 99]. If the form has no floor together with its operand, the form as
// a whole may still be a mod (impl/map/normal_form/recognize_mod.h).
#pragma once

#include <optional>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// The tightest interval that these methods and the assumptions give. The context gives up if a term
// leaves 2^110.
Range range_of(NormalFormContext& context, Linear form);

// The range of factor * x + constant for x in `range`.
Range scaled(const Range& range, Wide factor, Wide constant = 0);

// Without the assumptions.
Range range_of_atoms(NormalFormContext& context, const Linear& form);

// From the ranges of the atoms alone, including mods.
Range interval_sum(NormalFormContext& context, const Linear& form);

// The same, and what an assumption about this very sum says.
Range range_of_written(NormalFormContext& context, const Linear& form);

// The form L + sign * floor(I / divisor) as one floor: sign * form = floor(inside / divisor) with
// inside = sign * divisor * L + I. The range of `inside` may be tighter than those of the parts:
//
//     3 * d0 + floor(-d0 / 3) = floor(8 * d0 / 3), d0 in [0, 2]        [0, 5] instead of [-1, 6]
//
// Nothing if the term with that number is not such a floor, or if a factor leaves 30 bits.
struct WholeFloor {
  Linear rest;  // sign * L
  Linear inside;
  int64_t divisor = 0;
  int64_t sign = 0;
};
std::optional<WholeFloor> whole_floor(NormalFormContext& context, const Linear& form, int32_t term);
// The range of floor(inside / divisor).
Range range_of_floor(NormalFormContext& context, const WholeFloor& whole);

// The same value with mods in place of atoms that other floors of the form depend on.
Linear in_digits(NormalFormContext& context, Linear form);

bool has_floor(const NormalFormContext& context, const Linear& form);

}  // namespace tileproof::impl

// Ranges of normal forms: an interval that contains every value over the domain.
//
// Interval arithmetic over the atoms is exact where they are independent, and loose where a floor
// stands beside what it is the floor of. Then other words help: in the digits of x,
//
//     x = (x mod 4) + 4 * (floor(x / 4) mod 2) + 8 * floor(x / 8)
//
// the parts are independent, so a combination of x, floor(x / 4) and floor(x / 8) has the range
// that its digits give. Example: for x in [0, 99], x - 4 * floor(x / 4) is x mod 4, in [0, 3];
// interval arithmetic alone says [-96, 99]. Where no floor is seen beside what it is the floor of,
// the form may still be a mod as a whole (impl/map/normal_form/recognize_mod.h).
#pragma once

#include <optional>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// The interval of the form; the tightest that these ways and the known constraints give.
// Refuses the forms where a term leaves 2^110.
Range range_of(NormalFormContext& context, Linear form);

// The range of factor * x + constant for x in `range`.
Range scaled(const Range& range, Wide factor, Wide constant = 0);

// Without the known constraints.
Range range_of_atoms(NormalFormContext& context, const Linear& form);

// By the ranges of the atoms alone, mods included.
Range interval_sum(NormalFormContext& context, const Linear& form);

// sign * form = floor(inside / divisor), where the form is L + sign * floor(I / divisor) for its
// term of that number: inside = sign * divisor * L + I. The range of `inside` may tell more than
// those of the parts: 3 * d0 + floor(-d0 / 3), which is floor(8 * d0 / 3), has for d0 in [0, 2] the
// range [0, 5], and not [-1, 6]. Nothing where the term is no such floor or a factor leaves 30
// bits.
struct WholeFloor {
  Linear rest;  // sign * L
  Linear inside;
  int64_t divisor = 0;
  int64_t sign = 0;
};
std::optional<WholeFloor> whole_floor(NormalFormContext& context, const Linear& form, int32_t term);
// Of floor(inside / divisor).
Range range_of_floor(NormalFormContext& context, const WholeFloor& whole);

// The same value with mods in place of the atoms that floors beside them depend on.
Linear in_digits(NormalFormContext& context, Linear form);

bool has_floor(const NormalFormContext& context, const Linear& form);

}  // namespace tileproof::impl

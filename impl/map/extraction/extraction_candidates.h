// SPDX-License-Identifier: Apache-2.0
// The numbers that the rewrites of extraction try (impl/map/extraction/extraction.h).
#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "impl/map/normal_form/linear.h"

namespace tileproof::impl {

using Numbers = absl::InlinedVector<int64_t, 12>;

// Numbers b > 1 for which k * (S mod b), k * b = |C|, may replace the floor in
// C * floor(I / c) + rest: c, those for which k is a factor of the rest, and |C| itself. Each once,
// at most twelve.
Numbers moduli_for(const Linear& rest, int64_t C, int64_t c);

// Divisors e, 1 < e < b, for which floor(I / c) may be part of (J mod b) floordiv e, where I is
// p * J + ..: if c = b, those for which e * p is -1 or 1 modulo b; if c = b * e, this e.
Numbers divisors_of_mod(int64_t p, int64_t b, int64_t c);

}  // namespace tileproof::impl

// The numbers that the moves of a spelling try (impl/map/extraction/extraction.h).
#pragma once

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "impl/map/normal_form/linear.h"

namespace tileproof::impl {

using Numbers = absl::InlinedVector<int64_t, 12>;

// The numbers b > 1 for which k * (S mod b), k * b = |C|, may stand for the floor in
// C * floor(I / c) + rest: c, those for which k is a factor of the rest, and |C| itself. Each once,
// the first twelve of them.
Numbers moduli_for(const Linear& rest, int64_t C, int64_t c);

// The divisors e, 1 < e < b, for which floor(I / c) may be part of (J mod b) floordiv e, where I is
// p * J + ..: with c = b those for which e * p is -1 or 1 modulo b; with c = b * e this e.
Numbers divisors_of_mod(int64_t p, int64_t b, int64_t c);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Floor division and its remainder, by definition.
//
//     floordiv(x, c)   the largest q with q * c <= x, for c > 0        floordiv(-7, 2) = -4
//     mod(x, c)        x - c * floordiv(x, c), in [0, c)               mod(-7, 2) = 1
//
// Layout steps divide only by positive constants. They are generic over a number type that has
// these two functions, so the same code computes on int64 and builds terms for the solver.
#pragma once

#include <cstdint>

namespace tileproof::spec {

inline int64_t floordiv(int64_t x, int64_t c) { return x / c - (x % c < 0 ? 1 : 0); }
// c * floordiv(x, c) may not fit, so this adds c where C++ leaves a negative remainder.
inline int64_t mod(int64_t x, int64_t c) { return x % c < 0 ? x % c + c : x % c; }

}  // namespace tileproof::spec

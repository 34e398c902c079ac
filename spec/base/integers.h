// Division as Tileproof means it, by its definition.
//
//     floordiv(x, c)   the largest q with q * c <= x (c > 0), rounding towards minus infinity
//     mod(x, c)        x - c * floordiv(x, c), in [0, c)
//
// The steps of a layout divide only by positive constants. They are written for any number type
// that has these two functions, so that one text is executed on int64 and reasoned about by a
// solver. Source: INTERFACE, section 2 "Integers".
#pragma once

#include <cstdint>

namespace tileproof::spec {

inline int64_t floordiv(int64_t x, int64_t c) { return x / c - (x % c < 0 ? 1 : 0); }
inline int64_t mod(int64_t x, int64_t c) { return x - c * floordiv(x, c); }

}  // namespace tileproof::spec

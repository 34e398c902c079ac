// Another map with the same meaning, made by identities of the integers.
//
// Each subexpression x may become, for constants k, c, a, b > 0 and an expression y of the map:
//
//     x + k - k      x + y + y * -1      (x floordiv c) * c + x mod c      (x * c) floordiv c
//
// and an operation another one that means the same:
//
//     x + y             y + x
//     (x + y) * c       x * c + y * c
//     x floordiv (a*b)  (x floordiv a) floordiv b
//     x mod (a*b)       x mod a + (x floordiv a) mod b * a
//     x mod c           x + (x floordiv c) * -c           (x + c * k) mod c
//     x floordiv c      (x + c * k) floordiv c - k
//
// Values stay within a small factor of those of the map, so nothing that fitted 64 bits leaves them
// unless it was close. Source: the definitions of floordiv and mod, INTERFACE, section 2.
#pragma once

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

IndexingMap rewrite_by_identities(Choose& choose, const IndexingMap& map);

}  // namespace tileproof

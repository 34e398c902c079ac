// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/extraction_candidates.h"

#include <algorithm>
#include <cstdlib>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {
namespace {

// x in (0, m) with a * x = 1 or a * x = -1 modulo m, or 0. Euclid's algorithm without signs, with
// the invariant r0 = a * t0 and r1 = -a * t1 modulo m, or r0 = -a * t0 and r1 = a * t1.
int64_t inverse_modulo(int64_t a, int64_t m) {
  int64_t r0 = m, r1 = floor_remainder(a, m), t0 = 0, t1 = 1;
  while (r1 != 0) {
    const int64_t q = r0 / r1;
    const int64_t r2 = r0 - q * r1, t2 = t0 + q * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  return r0 == 1 ? t0 : 0;
}

}  // namespace

Numbers moduli_for(const Linear& rest, int64_t C, int64_t c) {
  constexpr size_t kMost = 12;
  const int64_t size = std::abs(C);
  Numbers moduli;
  const auto add = [&](int64_t b) {
    const bool is_new = std::ranges::find(moduli, b) == moduli.end();
    if (b > 1 && is_new && moduli.size() < kMost) moduli.push_back(b);
  };
  if (size % c == 0) add(c);
  for (const Term& term : rest) {
    if (size % term.factor == 0) add(size / std::abs(term.factor));  // the factor is not -2^63
  }
  add(size);
  return moduli;
}

Numbers divisors_of_mod(int64_t p, int64_t b, int64_t c) {
  Numbers divisors;
  const auto add = [&](int64_t e) {
    if (1 < e && e < b) divisors.push_back(e);
  };
  if (c == b) {
    const int64_t inverse = inverse_modulo(p, b);
    add(b - inverse);
    add(inverse);
  } else if (c % b == 0) {
    add(c / b);
  }
  return divisors;
}

}  // namespace tileproof::impl

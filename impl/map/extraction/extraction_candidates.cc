// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/extraction_candidates.h"

#include <algorithm>
#include <cstdlib>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {
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

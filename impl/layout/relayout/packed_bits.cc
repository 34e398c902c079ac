// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/relayout/packed_bits.h"

#include <algorithm>
#include <cstddef>

namespace tileproof::impl {

void pack_bits(absl::Span<const uint8_t> elements, int bits, absl::Span<uint8_t> packed) {
  const size_t per_byte = static_cast<size_t>(8 / bits);
  const unsigned mask = (1U << bits) - 1;
  std::fill(packed.begin(), packed.end(), uint8_t{0});
  for (size_t i = 0; i < elements.size(); ++i) {
    const unsigned shift = static_cast<unsigned>(i % per_byte) * static_cast<unsigned>(bits);
    packed[i / per_byte] =
        static_cast<uint8_t>(packed[i / per_byte] | (elements[i] & mask) << shift);
  }
}

void unpack_bits(absl::Span<const uint8_t> packed, int bits, bool is_signed,
                 absl::Span<uint8_t> elements) {
  const size_t per_byte = static_cast<size_t>(8 / bits);
  const unsigned mask = (1U << bits) - 1, sign = 1U << (bits - 1);
  for (size_t i = 0; i < elements.size(); ++i) {
    const unsigned shift = static_cast<unsigned>(i % per_byte) * static_cast<unsigned>(bits);
    const unsigned value = packed[i / per_byte] >> shift & mask;
    elements[i] = static_cast<uint8_t>(is_signed && (value & sign) != 0 ? value | ~mask : value);
  }
}

}  // namespace tileproof::impl

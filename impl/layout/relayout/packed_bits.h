// SPDX-License-Identifier: Apache-2.0
// Elements of 1, 2 or 4 bits: one a byte, and packed.
//
// The first element is in the low bits of the first byte, as XLA has it. With 4 bits:
//
//     elements 1 2 3      bytes 0x21 0x03
#pragma once

#include <cstdint>

#include "absl/types/span.h"

namespace tileproof::impl {

// `packed` has ceil(elements * bits / 8) bytes, which are overwritten. Only the low bits of an
// element are read.
void pack_bits(absl::Span<const uint8_t> elements, int bits, absl::Span<uint8_t> packed);

// The inverse. The high bits of an element repeat its sign if `is_signed`, and are 0 otherwise.
void unpack_bits(absl::Span<const uint8_t> packed, int bits, bool is_signed,
                 absl::Span<uint8_t> elements);

}  // namespace tileproof::impl

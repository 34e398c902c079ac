// SPDX-License-Identifier: Apache-2.0
// Integers of w bits as their bits: numbers in [0, 2^w), kept in an int64.
//
//     s8 -1 is kept as 255:  masked(kS8, -1) == 255,  value_of(kS8, 255, true) == -1
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/numeric/int128.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/terms.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/hlo/hlo_opcode.h"

namespace tileproof::verify {

// The unsigned type of the same width; other types as they are.
inline ElementType bits_type(ElementType type) {
  const bool is_signed = type >= ElementType::kS1 && type <= ElementType::kS64;
  if (!is_signed) return type;
  return static_cast<ElementType>(static_cast<int>(type) - static_cast<int>(ElementType::kS1) +
                                  static_cast<int>(ElementType::kU1));
}

// The signed type of the same width as this unsigned one.
inline ElementType signed_type(ElementType type) {
  return static_cast<ElementType>(static_cast<int>(type) - static_cast<int>(ElementType::kU1) +
                                  static_cast<int>(ElementType::kS1));
}

inline bool is_complex(ElementType type) {
  return type == ElementType::kC64 || type == ElementType::kC128;
}

// Of a complex type, that of its parts.
inline ElementType part_type(ElementType type) {
  return type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
}

// The bits of an integer; a predicate has 1.
inline int width_of(ElementType type) { return type == ElementType::kPred ? 1 : info(type).bits; }

// The bits of x, which may be negative or too large for the type: x modulo 2^w.
inline int64_t masked(ElementType type, int64_t x) {
  const int width = width_of(type);
  const uint64_t bits = static_cast<uint64_t>(x);
  return static_cast<int64_t>(width == 64 ? bits : bits & ((uint64_t{1} << width) - 1));
}

// What the bits say: as a signed number, -2^(w-1) .. 2^(w-1) - 1, or 0 .. 2^w - 1.
inline absl::int128 value_of(ElementType type, int64_t bits, bool is_signed) {
  const absl::int128 value = absl::int128(absl::uint128(static_cast<uint64_t>(bits)));
  const absl::int128 all = absl::int128(1) << width_of(type);
  return is_signed && value >= all / 2 ? value - all : value;
}

// Whether an operation on elements has operands of one type, and a result of it. Texts may have others, of which
// nothing is known.
template <class TypeOf>
bool has_one_type(const spec::Symbol& f, size_t operands, TypeOf type_of) {
  if (elementwise_operands(f.opcode) != static_cast<int64_t>(operands) || operands < 2) return true;
  const size_t first = f.opcode == HloOpcode::kSelect ? 1 : 0;
  const bool is_of_another = f.opcode == HloOpcode::kCompare || f.opcode == HloOpcode::kComplex;
  const ElementType type = bits_type(is_of_another ? f.from : f.type);
  for (size_t k = first; k < operands; ++k) {
    if (bits_type(type_of(k)) != type) return false;
  }
  return true;
}

}  // namespace tileproof::verify

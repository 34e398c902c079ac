// SPDX-License-Identifier: Apache-2.0
// The element types of HLO text and their widths: `f32` has 32 bits, `pred` has 1 bit and takes one
// byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/base/cursor.h"

namespace tileproof {

// A row for each type: its entry in the enumeration, its name in HLO text, and the bits of information
// in one element, 0 for token and opaque.
#define TILEPROOF_ELEMENT_TYPES(ROW)      \
  ROW(kPred, "pred", 1)                   \
  ROW(kS1, "s1", 1)                       \
  ROW(kS2, "s2", 2)                       \
  ROW(kS4, "s4", 4)                       \
  ROW(kS8, "s8", 8)                       \
  ROW(kS16, "s16", 16)                    \
  ROW(kS32, "s32", 32)                    \
  ROW(kS64, "s64", 64)                    \
  ROW(kU1, "u1", 1)                       \
  ROW(kU2, "u2", 2)                       \
  ROW(kU4, "u4", 4)                       \
  ROW(kU8, "u8", 8)                       \
  ROW(kU16, "u16", 16)                    \
  ROW(kU32, "u32", 32)                    \
  ROW(kU64, "u64", 64)                    \
  ROW(kF4E2M1FN, "f4e2m1fn", 4)           \
  ROW(kF8E3M4, "f8e3m4", 8)               \
  ROW(kF8E4M3, "f8e4m3", 8)               \
  ROW(kF8E4M3FN, "f8e4m3fn", 8)           \
  ROW(kF8E4M3FNUZ, "f8e4m3fnuz", 8)       \
  ROW(kF8E4M3B11FNUZ, "f8e4m3b11fnuz", 8) \
  ROW(kF8E5M2, "f8e5m2", 8)               \
  ROW(kF8E5M2FNUZ, "f8e5m2fnuz", 8)       \
  ROW(kF8E8M0FNU, "f8e8m0fnu", 8)         \
  ROW(kBF16, "bf16", 16)                  \
  ROW(kF16, "f16", 16)                    \
  ROW(kF32, "f32", 32)                    \
  ROW(kF64, "f64", 64)                    \
  ROW(kC64, "c64", 64)                    \
  ROW(kC128, "c128", 128)                 \
  ROW(kF6E2M3FN, "f6e2m3fn", 6)           \
  ROW(kF6E3M2FN, "f6e3m2fn", 6)           \
  ROW(kToken, "token", 0)                 \
  ROW(kOpaque, "opaque", 0)

enum class ElementType : uint8_t {
#define TILEPROOF_ENTRY(type, ...) type,
  TILEPROOF_ELEMENT_TYPES(TILEPROOF_ENTRY)
#undef TILEPROOF_ENTRY
};

struct ElementTypeInfo {
  ElementType type;
  absl::string_view name;
  int bits;
};

// Every element type, in the order of the enumeration.
absl::Span<const ElementTypeInfo> element_types();

const ElementTypeInfo& info(ElementType type);

// Returns the type of this name, or nullopt. Names are case-sensitive.
std::optional<ElementType> element_type_named(absl::string_view name);

// The bytes of one element in memory, unless the layout sets another size (E). It is the number of
// bits rounded up to bytes: `pred` and every type below 8 bits take one byte.
int byte_width(ElementType type);

// `token[]` and `opaque[]` have no elements and no layout.
inline bool has_elements(ElementType type) {
  return type != ElementType::kToken && type != ElementType::kOpaque;
}

// Element types in texts: of HLO, `f32`, and of MLIR, `i8`, `ui16`, `f8E4M3FN`, `complex<f32>`.

// Takes an element type of HLO. The error for another word names the type that was probably meant:
//
//     column 1: expected an element type, found 'float32'; did you mean 'f32'?
absl::StatusOr<ElementType> take_element_type(Cursor& cursor);

// The end of an error message about a word that is no element type: "; did you mean 'f32'?", or "".
std::string meant_element_type(absl::string_view word);

// "i32" for s32, "i1" for pred, "complex<f32>" for c64.
std::string mlir_element_type(ElementType type);

// The element type with that name; `si32` is `i32`. Nothing if XLA has none.
std::optional<ElementType> element_type_of_mlir(absl::string_view name);

}  // namespace tileproof

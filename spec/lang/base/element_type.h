// SPDX-License-Identifier: Apache-2.0
// The element types of HLO text and their widths: `f32` has 32 bits, `pred` has 1 bit and takes one
// byte.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tileproof {

enum class ElementType : uint8_t {
  kPred,
  kS1,
  kS2,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kU1,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF4E2M1FN,
  kF8E3M4,
  kF8E4M3,
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E4M3B11FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0FNU,
  kBF16,
  kF16,
  kF32,
  kF64,
  kC64,
  kC128,
  kF6E2M3FN,
  kF6E3M2FN,
  kToken,
  kOpaque,
};

struct ElementTypeInfo {
  ElementType type;
  absl::string_view name;  // in HLO text
  int bits;                // of information in one element; 0 for token and opaque
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

}  // namespace tileproof

// The element types of HLO text and their widths.
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
  kToken,
  kOpaque,
};

struct ElementTypeInfo {
  ElementType type;
  absl::string_view name;  // as HLO text spells it
  int bits;  // information in one element; 0 for token and opaque, which have no elements
};

// Every element type, in the order of the enumeration.
absl::Span<const ElementTypeInfo> element_types();

const ElementTypeInfo& info(ElementType type);

// The type of that name, or nothing. Names are case-sensitive.
std::optional<ElementType> element_type_named(absl::string_view name);

// Bytes that one element takes in memory when the layout says nothing else: its bits rounded up, so
// `pred` and every type below a byte take one.
int byte_width(ElementType type);

// Types without elements: `token[]` and `opaque[]` can be passed around and have no layout to speak
// of.
inline bool has_elements(ElementType type) {
  return type != ElementType::kToken && type != ElementType::kOpaque;
}

}  // namespace tileproof

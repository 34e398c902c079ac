// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/element_type.h"

#include <cstddef>

namespace tileproof {
namespace {

constexpr ElementTypeInfo kElementTypes[] = {
    {ElementType::kPred, "pred", 1},
    {ElementType::kS1, "s1", 1},
    {ElementType::kS2, "s2", 2},
    {ElementType::kS4, "s4", 4},
    {ElementType::kS8, "s8", 8},
    {ElementType::kS16, "s16", 16},
    {ElementType::kS32, "s32", 32},
    {ElementType::kS64, "s64", 64},
    {ElementType::kU1, "u1", 1},
    {ElementType::kU2, "u2", 2},
    {ElementType::kU4, "u4", 4},
    {ElementType::kU8, "u8", 8},
    {ElementType::kU16, "u16", 16},
    {ElementType::kU32, "u32", 32},
    {ElementType::kU64, "u64", 64},
    {ElementType::kF4E2M1FN, "f4e2m1fn", 4},
    {ElementType::kF8E3M4, "f8e3m4", 8},
    {ElementType::kF8E4M3, "f8e4m3", 8},
    {ElementType::kF8E4M3FN, "f8e4m3fn", 8},
    {ElementType::kF8E4M3FNUZ, "f8e4m3fnuz", 8},
    {ElementType::kF8E4M3B11FNUZ, "f8e4m3b11fnuz", 8},
    {ElementType::kF8E5M2, "f8e5m2", 8},
    {ElementType::kF8E5M2FNUZ, "f8e5m2fnuz", 8},
    {ElementType::kF8E8M0FNU, "f8e8m0fnu", 8},
    {ElementType::kBF16, "bf16", 16},
    {ElementType::kF16, "f16", 16},
    {ElementType::kF32, "f32", 32},
    {ElementType::kF64, "f64", 64},
    {ElementType::kC64, "c64", 64},
    {ElementType::kC128, "c128", 128},
    {ElementType::kF6E2M3FN, "f6e2m3fn", 6},
    {ElementType::kF6E3M2FN, "f6e3m2fn", 6},
    {ElementType::kToken, "token", 0},
    {ElementType::kOpaque, "opaque", 0},
};

consteval bool in_order_of_the_enumeration() {
  size_t i = 0;
  for (const ElementTypeInfo& entry : kElementTypes) {
    if (static_cast<size_t>(entry.type) != i++) return false;
  }
  return true;
}
static_assert(in_order_of_the_enumeration());

}  // namespace

absl::Span<const ElementTypeInfo> element_types() { return kElementTypes; }

const ElementTypeInfo& info(ElementType type) { return kElementTypes[static_cast<size_t>(type)]; }

std::optional<ElementType> element_type_named(absl::string_view name) {
  for (const ElementTypeInfo& entry : kElementTypes) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

int byte_width(ElementType type) { return (info(type).bits + 7) / 8; }

}  // namespace tileproof

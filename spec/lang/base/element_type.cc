// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/element_type.h"

#include <cstddef>

namespace tileproof {
namespace {

constexpr ElementTypeInfo kElementTypes[] = {
#define TILEPROOF_ROW(type, ...) {ElementType::type, __VA_ARGS__},
    TILEPROOF_ELEMENT_TYPES(TILEPROOF_ROW)
#undef TILEPROOF_ROW
};

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

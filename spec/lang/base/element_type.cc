// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/element_type.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/nearest.h"

namespace tileproof {
namespace {

constexpr ElementTypeInfo kElementTypes[] = {
#define TILEPROOF_ROW(type, ...) {ElementType::type, __VA_ARGS__},
    TILEPROOF_ELEMENT_TYPES(TILEPROOF_ROW)
#undef TILEPROOF_ROW
};

// Names of other systems, and HLO's names for them.
struct OtherName {
  absl::string_view other, hlo;
};
constexpr OtherName kOtherNames[] = {
    {"bool", "pred"},   {"i1", "pred"},      {"boolean", "pred"},  {"i4", "s4"},
    {"int4", "s4"},     {"i8", "s8"},        {"int8", "s8"},       {"i16", "s16"},
    {"int16", "s16"},   {"i32", "s32"},      {"int32", "s32"},     {"int", "s32"},
    {"i64", "s64"},     {"int64", "s64"},    {"uint4", "u4"},      {"ui8", "u8"},
    {"uint8", "u8"},    {"ui16", "u16"},     {"uint16", "u16"},    {"ui32", "u32"},
    {"uint32", "u32"},  {"ui64", "u64"},     {"uint64", "u64"},    {"half", "f16"},
    {"float16", "f16"}, {"float32", "f32"},  {"float", "f32"},     {"float64", "f64"},
    {"double", "f64"},  {"fp8", "f8e4m3fn"}, {"bfloat16", "bf16"},
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

std::string meant_element_type(absl::string_view written) {
  std::vector<absl::string_view> names;
  const std::string lower = absl::AsciiStrToLower(written);  // BF16
  const absl::string_view word = lower;
  for (const OtherName& name : kOtherNames) {
    if (name.other == word) return absl::StrCat("; did you mean '", name.hlo, "'?");
  }
  // Of types that are equally near, floating-point types come first: they are at the end.
  const absl::Span<const ElementTypeInfo> types = element_types();
  if (word != written && element_type_named(word)) {
    return absl::StrCat("; did you mean '", lower, "'?");
  }
  for (size_t i = types.size(); i-- > 0;) names.push_back(types[i].name);
  return did_you_mean(word, names);
}

absl::StatusOr<ElementType> take_element_type(Cursor& cursor) {
  const size_t start = cursor.token_position();
  const absl::string_view word = cursor.take_identifier();
  if (const std::optional<ElementType> type = element_type_named(word)) return *type;
  cursor.set_position(start);
  const absl::Status expected = cursor.expected("an element type");
  return absl::Status(expected.code(), absl::StrCat(expected.message(), meant_element_type(word)));
}

std::string mlir_element_type(ElementType type) {
  const std::string name(info(type).name);
  if (name == "pred") return "i1";
  if (name == "c64") return "complex<f32>";
  if (name == "c128") return "complex<f64>";
  if (absl::StartsWith(name, "s")) return absl::StrCat("i", name.substr(1));
  if (absl::StartsWith(name, "u")) return absl::StrCat("ui", name.substr(1));
  if (name[0] == 'f' && absl::StrContains(name, "e"))  // f8E4M3FN
    return absl::StrCat("f", absl::AsciiStrToUpper(name.substr(1)));
  return name;
}

std::optional<ElementType> element_type_of_mlir(absl::string_view name) {
  if (name == "i1") return ElementType::kPred;
  if (name == "complex<f32>") return element_type_named("c64");
  if (name == "complex<f64>") return element_type_named("c128");
  if (absl::StartsWith(name, "si")) return element_type_named(absl::StrCat("s", name.substr(2)));
  if (absl::StartsWith(name, "ui")) return element_type_named(absl::StrCat("u", name.substr(2)));
  if (absl::StartsWith(name, "i")) return element_type_named(absl::StrCat("s", name.substr(1)));
  if (absl::StartsWith(name, "f")) return element_type_named(absl::AsciiStrToLower(name));
  return element_type_named(name);
}

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_literal.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

// PrimitiveType by number; empty: none.
constexpr absl::string_view kTypes[] = {
    "",           "pred",       "s8",   "s16",      "s32",      "s64",    "u8",     "u16",
    "u32",        "u64",        "f16",  "f32",      "f64",      "tuple",  "opaque", "c64",
    "bf16",       "token",      "c128", "f8e5m2",   "f8e4m3fn", "s4",     "u4",     "f8e4m3b11fnuz",
    "f8e5m2fnuz", "f8e4m3fnuz", "s2",   "u2",       "f8e4m3",   "f8e3m4", "s1",     "u1",
    "f4e2m1fn",   "f8e8m0fnu",  "",     "f6e3m2fn", "f6e2m3fn"};

// The numbers of `width` bytes each, the lowest first.
std::vector<uint64_t> numbers_of_bytes(const std::string& bytes, size_t width) {
  std::vector<uint64_t> numbers;
  for (size_t end = width; end <= bytes.size(); end += width) {
    uint64_t number = 0;
    for (size_t b = 1; b <= width; ++b) number = number << 8 | static_cast<uint8_t>(bytes[end - b]);
    numbers.push_back(number);
  }
  return numbers;
}

// An s4 takes the lower half of a byte; what is above it does not count.
std::string integer_of(uint64_t number, ElementType type) {
  const int unused = 64 - info(type).bits;
  if (type >= ElementType::kU1) return absl::StrCat(number << unused >> unused);
  return absl::StrCat(static_cast<int64_t>(number << unused) >> unused);
}

std::string float_of(double value) { return absl::StrFormat("%.17g", value); }

// The elements that the literal has; none of other types.
std::vector<std::string> elements_of(const Message& literal, ElementType type) {
  const std::string field = absl::StrCat(info(type).name, "s");
  std::vector<std::string> elements;
  switch (type) {
    case ElementType::kPred:
      for (const int64_t value : literal.integers(field))
        elements.emplace_back(value != 0 ? "true" : "false");
      break;
    case ElementType::kS32:
    case ElementType::kS64:
    case ElementType::kU32:
    case ElementType::kU64:
      for (const int64_t value : literal.integers(field))
        elements.push_back(integer_of(static_cast<uint64_t>(value), type));
      break;
    case ElementType::kF32:
    case ElementType::kF64:
      for (const double value : literal.reals(field)) elements.push_back(float_of(value));
      break;
    case ElementType::kBF16:
      for (const uint64_t bits : numbers_of_bytes(literal.text(field), 2))
        elements.push_back(float_of(std::bit_cast<float>(static_cast<uint32_t>(bits << 16))));
      break;
    default:
      if (type > ElementType::kU64) break;
      for (const uint64_t number : numbers_of_bytes(literal.text(field), byte_width(type)))
        elements.push_back(integer_of(number, type));
  }
  return elements;
}

absl::StatusOr<std::string> unknown_scalar(ElementType type) {
  if (type <= ElementType::kU64)
    return absl::InvalidArgumentError(
        absl::StrCat("expected the value of a constant of ", info(type).name));
  const bool is_complex = type == ElementType::kC64 || type == ElementType::kC128;
  return std::string(is_complex ? "(nan, nan)" : "nan");
}

absl::StatusOr<std::string> tuple_text(const Message& shape, const Message* literal) {
  const std::vector<const Message*> shapes = shape.messages("tuple_shapes");
  std::vector<const Message*> literals;
  if (literal != nullptr) literals = literal->messages("tuple_literals");
  literals.resize(shapes.size());
  std::vector<std::string> parts;
  for (size_t k = 0; k < shapes.size(); ++k)
    parts.push_back(TRY(literal_text(*shapes[k], literals[k])));
  return absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
}

}  // namespace

std::string type_of(const Message& shape) {
  const std::string named = absl::AsciiStrToLower(shape.text("element_type"));
  // Text may have the number, too.
  const bool is_name = !named.empty() && absl::ascii_isalpha(named[0]);
  if (is_name) return named == "opaque_type" ? "opaque" : named;
  const int64_t number = shape.integer("element_type");
  if (number < 0 || number >= std::ssize(kTypes)) return "";
  return std::string(kTypes[number]);
}

absl::StatusOr<std::string> literal_text(const Message& shape, const Message* literal) {
  const std::string name = type_of(shape);
  if (name == "tuple") return tuple_text(shape, literal);
  const std::optional<ElementType> type = element_type_named(name);
  if (!type) return absl::InvalidArgumentError("expected an element type");
  const std::vector<int64_t> dims = shape.integers("dimensions");
  int64_t count = 1;
  for (const int64_t size : dims) {
    const std::optional<int64_t> product = size < 0 ? std::nullopt : checked_mul(count, size);
    if (!product) return absl::InvalidArgumentError("expected a constant of fewer elements");
    count = *product;
  }
  if (count == 0) return std::string(dims.size() == 1 ? "{}" : "{...}");
  std::vector<std::string> elements;
  if (literal != nullptr) elements = elements_of(*literal, *type);
  if (std::ssize(elements) == count) return braced_literal(elements, dims);
  return dims.empty() ? unknown_scalar(*type) : std::string("{...}");
}

}  // namespace tileproof::hlo_proto

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

// A floating-point type of few bits. The largest exponent is of infinities and NaNs as IEEE 754 has
// them; or it has one NaN, its largest number; or only -0 is one, or there is none. A type of powers of
// two has neither sign nor mantissa.
struct BitFormat {
  int exponent = 0, mantissa = 0, bias = 0;
  enum { kIeee, kOneNan, kNegativeZeroIsNan, kFinite, kPowers } special = kIeee;
};

constexpr std::pair<ElementType, BitFormat> kFormats[] = {
    {ElementType::kF16, {5, 10, 15}},
    {ElementType::kBF16, {8, 7, 127}},
    {ElementType::kF8E5M2, {5, 2, 15}},
    {ElementType::kF8E4M3, {4, 3, 7}},
    {ElementType::kF8E3M4, {3, 4, 3}},
    {ElementType::kF8E4M3FN, {4, 3, 7, BitFormat::kOneNan}},
    {ElementType::kF8E4M3B11FNUZ, {4, 3, 11, BitFormat::kNegativeZeroIsNan}},
    {ElementType::kF8E5M2FNUZ, {5, 2, 16, BitFormat::kNegativeZeroIsNan}},
    {ElementType::kF8E4M3FNUZ, {4, 3, 8, BitFormat::kNegativeZeroIsNan}},
    {ElementType::kF4E2M1FN, {2, 1, 1, BitFormat::kFinite}},
    {ElementType::kF6E2M3FN, {2, 3, 1, BitFormat::kFinite}},
    {ElementType::kF6E3M2FN, {3, 2, 3, BitFormat::kFinite}},
    {ElementType::kF8E8M0FNU, {8, 0, 127, BitFormat::kPowers}},
};

// The number of which the lower bits are these.
double number_of(uint64_t bits, const BitFormat& format) {
  if (format.special == BitFormat::kPowers) {
    return bits == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits) - format.bias);
  }
  const uint64_t mantissa = bits & ((uint64_t{1} << format.mantissa) - 1);
  const uint64_t most = (uint64_t{1} << format.exponent) - 1;
  const uint64_t exponent = bits >> format.mantissa & most;
  const bool is_negative = (bits >> (format.mantissa + format.exponent) & 1) != 0;
  const bool is_last = exponent == most;
  const bool is_all = is_last && mantissa == (uint64_t{1} << format.mantissa) - 1;
  const bool is_nan =
      (format.special == BitFormat::kIeee && is_last && mantissa != 0) ||
      (format.special == BitFormat::kOneNan && is_all) ||
      (format.special == BitFormat::kNegativeZeroIsNan && is_negative && exponent + mantissa == 0);
  if (is_nan) return std::nan("");
  double value =
      std::ldexp(static_cast<double>(mantissa), -format.mantissa) + (exponent > 0 ? 1 : 0);
  value = std::ldexp(value, static_cast<int>(std::max<uint64_t>(exponent, 1)) - format.bias);
  if (format.special == BitFormat::kIeee && is_last)
    value = std::numeric_limits<double>::infinity();
  return is_negative ? -value : value;
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
        elements.push_back(integer_of_bits(static_cast<uint64_t>(value), type));
      break;
    case ElementType::kF32:
    case ElementType::kF64:
      for (const double value : literal.reals(field)) elements.push_back(float_of(value));
      break;
    case ElementType::kC64:
    case ElementType::kC128: {
      const std::vector<double> parts = literal.reals(field);
      for (size_t i = 0; i + 1 < parts.size(); i += 2)
        elements.push_back(
            absl::StrCat("(", float_of(parts[i]), ", ", float_of(parts[i + 1]), ")"));
      break;
    }
    default:
      if (const auto* const row =
              std::ranges::find(kFormats, type, &std::pair<ElementType, BitFormat>::first);
          row != std::end(kFormats)) {
        for (const uint64_t bits : numbers_of_bytes(literal.text(field), byte_width(type)))
          elements.push_back(float_of(number_of(bits, row->second)));
      }
      if (type > ElementType::kU64) break;
      for (const uint64_t number : numbers_of_bytes(literal.text(field), byte_width(type)))
        elements.push_back(integer_of_bits(number, type));
  }
  return elements;
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
  if (!dims.empty()) return std::string("{...}");
  return absl::InvalidArgumentError(absl::StrCat("expected the value of a constant of ", name));
}

}  // namespace tileproof::hlo_proto

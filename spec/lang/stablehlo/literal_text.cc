// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_literal.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {
namespace {

bool is_float(ElementType type) {
  const absl::string_view name = info(type).name;
  return absl::StartsWith(name, "f") || absl::StartsWith(name, "bf");
}

// A number whose bits are given, `0x7FC00000`.
absl::StatusOr<std::string> number_of_bits(absl::string_view hex, ElementType type) {
  uint64_t bits;
  if (!absl::SimpleHexAtoi(hex, &bits))
    return absl::InvalidArgumentError("expected a number of 64 bits after '0x'");
  double value;
  if (type == ElementType::kF64) {
    value = std::bit_cast<double>(bits);
  } else if (type == ElementType::kF32) {
    value = std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else if (type == ElementType::kBF16) {
    value = std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  } else if (is_float(type)) {
    return std::string("nan");  // MLIR writes NaN and infinities so; the value does not matter
  } else {
    return absl::StrCat(static_cast<int64_t>(bits));
  }
  if (std::isnan(value)) return std::string("nan");
  if (std::isinf(value)) return std::string(value < 0 ? "-inf" : "inf");
  return absl::StrFormat("%.17g", value);
}

// `"0x01000000.."`: little-endian integers, each of them.
absl::StatusOr<Literal> of_bytes(absl::string_view hex, const Type& type, int64_t count) {
  const ElementType element = *type.element;
  const int64_t width = byte_width(element);
  const bool integers = !is_float(element) && width <= 8 && element != ElementType::kPred;
  if (!integers || absl::StartsWith(info(element).name, "c")) return Literal{"{...}", false};
  for (const char c : hex) {
    if (!absl::ascii_isxdigit(c)) return absl::InvalidArgumentError("expected hexadecimal digits");
  }
  const std::string bytes = absl::HexStringToBytes(hex);
  if (hex.size() % 2 != 0 || std::ssize(bytes) != count * width)
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", count, " elements of ", width, " bytes"));
  std::vector<std::string> elements;
  for (const uint64_t bits : numbers_of_bytes(bytes, width))
    elements.push_back(integer_of_bits(bits, element));
  return Literal{braced_literal(elements, type.dims), false};
}

// `[[1, 2], [3, 4]]` or `1`: brackets become braces, `0x..` becomes a number.
absl::StatusOr<std::string> of_list(absl::string_view list, ElementType type) {
  std::string text;
  for (size_t i = 0; i < list.size();) {
    if (absl::StartsWith(list.substr(i), "0x")) {
      size_t end = i + 2;
      while (end < list.size() && absl::ascii_isxdigit(list[end])) ++end;
      text += TRY(number_of_bits(list.substr(i + 2, end - i - 2), type));
      i = end;
      continue;
    }
    text.push_back(list[i] == '[' ? '{' : list[i] == ']' ? '}' : list[i]);
    ++i;
  }
  return text;
}

}  // namespace

absl::StatusOr<Literal> literal_text(absl::string_view dense, const Type& type) {
  for (const char* resource : {"dense_resource<", "sparse<"}) {
    if (absl::StartsWith(dense, resource)) return Literal{"{...}", false};
  }
  if (!absl::StartsWith(dense, "dense<")) return absl::InvalidArgumentError("expected 'dense<..>'");
  const size_t close = dense.rfind('>');
  if (close == absl::string_view::npos || close < 6)
    return absl::InvalidArgumentError("expected '>' to close 'dense<'");
  const absl::string_view inside = dense.substr(6, close - 6);
  int64_t count = 1;
  for (const int64_t size : type.dims) {
    const std::optional<int64_t> product = checked_mul(count, size);
    if (!product) return absl::InvalidArgumentError("expected a constant of fewer elements");
    count = *product;
  }
  if (count == 0) return Literal{type.dims.size() == 1 ? "{}" : "{...}", false};
  if (absl::StartsWith(inside, "\"0x") && inside.size() >= 4) {
    return of_bytes(inside.substr(3, inside.size() - 4), type, count);
  }
  const bool is_list = absl::StartsWith(inside, "[");
  std::string text = TRY(of_list(inside, *type.element));
  return Literal{std::move(text), !is_list && !type.dims.empty()};
}

}  // namespace tileproof::stablehlo

// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/float_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "spec/lang/base/literal_words.h"

namespace tileproof::spec {
namespace {

// A number, inf or nan, also `-nan` and `nan(0x7f)`.
std::optional<double> number_of(absl::string_view word) {
  if (absl::StrContains(word, "nan")) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  return absl::SimpleAtod(word, &value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<FloatFormat> float_format(ElementType type) {
  switch (type) {
    case ElementType::kF8E5M2:
      return FloatFormat{3, -14, 57344};
    case ElementType::kF8E4M3FN:
      return FloatFormat{4, -6, 448};
    case ElementType::kBF16:
      return FloatFormat{8, -126, std::ldexp(255, 120)};
    case ElementType::kF16:
      return FloatFormat{11, -14, 65504};
    case ElementType::kF32:
      return FloatFormat{24, -126, std::numeric_limits<float>::max()};
    case ElementType::kF64:
      return FloatFormat{53, -1022, std::numeric_limits<double>::max()};
    default:
      return std::nullopt;
  }
}

double rounded(ElementType type, double x) {
  const FloatFormat format = *float_format(type);
  const bool has_infinity = type != ElementType::kF8E4M3FN;
  if (std::isinf(x) && !has_infinity) return std::numeric_limits<double>::quiet_NaN();
  if (type == ElementType::kF64 || x == 0 || !std::isfinite(x)) return x;
  const int unit = std::max(std::ilogb(x), format.least) - (format.significand - 1);
  const double result = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  return std::abs(result) <= format.largest
             ? result
             : rounded(type, std::copysign(std::numeric_limits<double>::infinity(), x));
}

std::optional<std::vector<double>> floats_of_literal(ElementType type, absl::string_view literal) {
  const auto words = words_of_literal(literal);
  if (!float_format(type) || !words) return std::nullopt;
  std::vector<double> values;
  for (const absl::string_view word : *words) {
    const std::optional<double> value = number_of(word);
    if (!value) return std::nullopt;
    values.push_back(rounded(type, *value));
  }
  return values;
}

}  // namespace tileproof::spec

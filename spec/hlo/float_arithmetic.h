// SPDX-License-Identifier: Apache-2.0
// Numbers of HLO's floating-point types, as doubles. f8e4m3fn, f8e5m2, bf16, f16, f32 and f64 have no
// number that a double has not; other types are not known here.
//
//     rounded(f32, 0.1) = 0.100000001490116..      rounded(bf16, 257) = 256      rounded(f16, 1e6) = inf
//
// Source: IEEE 754-2019, "Binary interchange formats"; FP8 formats (Micikevicius et al., 2022); bf16.
#pragma once

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/lang/base/element_type.h"

namespace tileproof::spec {

// What the bits of a number say. A number of the type is `significand` bits wide, and at least
// 2^least, unless it is zero or has fewer bits.
struct FloatFormat {
  int significand = 0;  // with the leading one
  int least = 0;        // exponent of the least normal number
  double largest = 0;   // finite
};

// Nothing for integers and for types that are not known.
std::optional<FloatFormat> float_format(ElementType type);

// The nearest number of a known type; of two, the even one. Beyond the largest: infinity, if any.
double rounded(ElementType type, double x);

// The elements of a constant, rounded to a known type, in row-major order. There is one NaN. Nothing
// if one is left out (`{...}`) or is no number.
//
//     f32    { {1, 2.5}, {-inf, nan} }
std::optional<std::vector<double>> floats_of_literal(ElementType type, absl::string_view literal);

}  // namespace tileproof::spec

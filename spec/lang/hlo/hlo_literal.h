// SPDX-License-Identifier: Apache-2.0
// Literals of HLO text: whether the text of a constant fits its shape, and the text of one; and other words
// that the readers of other formats write. Private to the readers of modules.
//
//     s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})     fits
//     s32[2,3] constant({1, 2, 3, 4, 5, 6})         does not: each row has braces of its own
//     s32[] constant(_offset_)                      does not: no number
//
// The rules are those of XLA's parser, ParseDenseLiteral and ParseTupleLiteral:
//
// * `{` and `}` nest as deep as the rank. A pair of braces closes over as many parts as its
//   dimension has. `{...}` stands for all elements of the array.
// * An integer type takes integers, `pred` also `true` and `false`. A floating-point type takes
//   numbers, `inf`, `-inf`, `nan`, `-nan` and `nan(0x7f)`. A complex type takes `(1, -2)`.
// * An integer of up to 32 bits must fit its type. XLA reads any integer as a predicate.
// * Inside of braces, commas are like white space. A literal of one element needs no braces.
// * A tuple is `(part, part)`. Its commas may be missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {

struct LiteralError {
  size_t position = 0;  // in the literal
  std::string message;  // "expected .."
};

// The first place where the literal does not fit the shape. Nothing if it fits, or if the shape has
// a dimension of unknown size or is not an array (token, opaque), so that no rule applies.
std::optional<LiteralError> literal_error(absl::string_view literal, const Shape& shape);

// The literal of an array whose elements have these texts, in row-major order. There is one text
// for each element, and no dimension but a single one is empty.
//
//     {"1", "2", "3", "4"}, dimensions [2,2]     { {1, 2}, {3, 4} }
std::string braced_literal(absl::Span<const std::string> elements, absl::Span<const int64_t> dims);

// The numbers of `width` bytes each, the lowest first.
std::vector<uint64_t> numbers_of_bytes(absl::string_view bytes, int64_t width);

// The element of the type whose lower bits are these: an s4 takes the lower half of a byte. The type has
// elements, and is not complex.
//
//     pred 1: "true"     s4 15: "-1"     f16 0xfc00: "-inf"     f8e4m3fn 0x7f: "nan"
std::string element_of_bits(uint64_t bits, ElementType type);

// A number with all of its digits, "0.10000000000000001", or "nan", "-inf".
std::string float_text(double value);

// `{1,2}`
std::string braces(absl::Span<const int64_t> numbers);

// The name as a word of HLO: letters, digits, '_', '.' and '-', not beginning with a digit.
std::string word_of_hlo(absl::string_view name);

// The word, with a number behind it if it is taken; it is taken from here on.
std::string unique_word(std::string word, std::set<std::string>& taken);

}  // namespace tileproof

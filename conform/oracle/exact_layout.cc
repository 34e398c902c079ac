// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/exact_layout.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

using Numbers = std::vector<BigUint>;

// The largest product of some of the sizes.
BigUint largest_product(const Numbers& dims) {
  BigUint result(1);
  for (const BigUint& d : dims) result = result * std::max(d, BigUint(1));
  return result;
}

// The largest number that any order of computing the physical dimensions gives.
BigUint largest_number(const ExactLayout& layout) {
  BigUint largest;
  for (size_t i = 0; i <= layout.physical_position; ++i) {
    largest = std::max(largest, largest_product(layout.dims[i]));
    if (const auto* pad = std::get_if<spec::Pad>(&layout.steps[i])) {
      largest = std::max(largest, layout.dims[i][pad->at] + BigUint(pad->multiple));
    }
  }
  return largest;
}

}  // namespace

absl::StatusOr<ExactLayout> exact_layout(const Shape& shape) {
  spec::LayoutSteps steps = TRY(spec::layout_steps(shape));
  ExactLayout result;
  result.steps = std::move(steps.steps);
  result.physical_position = steps.to_physical;
  result.dims.emplace_back(steps.logical.begin(), steps.logical.end());
  for (const spec::Step& step : result.steps) {
    result.dims.push_back(spec::sizes_after(step, result.dims.back()));
  }
  const int64_t bits = spec::bits_of_element(shape);
  result.bytes = floordiv(result.elements() * bits + 7, 8);
  // The bytes at the type's own width count too, whatever E says: HLO's validation wants them.
  const int64_t most_bits = std::max(bits, int64_t{8} * byte_width(shape.element_type));
  const BigUint tail(layout_of(shape).tail_padding_alignment);
  const BigUint largest = (largest_number(result) + tail) * most_bits + 7;
  result.may_overflow = !to_int64(largest).has_value();
  return result;
}

absl::StatusOr<Shape> parse_shape_of_any_size(absl::string_view text) {
  absl::StatusOr<Shape> shape = parse_shape(text);
  if (shape.ok() || !absl::StrContains(shape.status().message(), "[too-large]")) return shape;
  // The same text with dimensions of 1, which then get their sizes back. A tuple is no array
  // anyway.
  Cursor cursor(text);
  const absl::string_view type = cursor.take_identifier();
  if (!cursor.take("[")) return shape;
  std::vector<int64_t> sizes;
  do {
    if (cursor.peek() == '?') return shape;
    cursor.take("<=");
    absl::StatusOr<int64_t> size = cursor.take_integer("a size");
    if (!size.ok()) return shape;
    sizes.push_back(*size);
  } while (cursor.take(","));
  const std::string ones = absl::StrJoin(std::vector<int64_t>(sizes.size(), 1), ",");
  if (!cursor.take("]")) return shape;
  Shape small =
      TRY(parse_shape(absl::StrCat(std::string(type), "[", ones, "]", std::string(cursor.rest()))));
  for (size_t d = 0; d < sizes.size(); ++d) small.dimensions[d].size = sizes[d];
  return small;
}

BigUint linearize(const ExactLayout& layout, const std::vector<int64_t>& index) {
  return spec::offset_of(layout, Numbers(index.begin(), index.end()));
}

std::optional<std::vector<int64_t>> delinearize(const ExactLayout& layout, int64_t offset) {
  const auto preimage = spec::preimage_of(layout, BigUint(offset), true);
  if (!preimage.exists) return std::nullopt;
  std::vector<int64_t> index;
  for (const BigUint& coordinate : preimage.index) index.push_back(*to_int64(coordinate));
  return index;
}

namespace {

void trim(BigUint& a) {
  while (!a.digits.empty() && a.digits.back() == 0) a.digits.pop_back();
}

uint64_t digit(const BigUint& a, size_t i) { return i < a.digits.size() ? a.digits[i] : 0; }

// a := 2 a + bit
void shift_in(BigUint& a, uint32_t bit) {
  for (uint32_t& d : a.digits) {
    const uint32_t out = d >> 31;
    d = (d << 1) | bit;
    bit = out;
  }
  if (bit != 0) a.digits.push_back(bit);
}

// Divides by a small number in place and gives the remainder.
uint32_t divide_in_place(BigUint& a, uint32_t by) {
  uint64_t rest = 0;
  for (size_t i = a.digits.size(); i-- > 0;) {
    rest = (rest << 32) | a.digits[i];
    a.digits[i] = static_cast<uint32_t>(rest / by);
    rest %= by;
  }
  trim(a);
  return static_cast<uint32_t>(rest);
}

}  // namespace

BigUint::BigUint(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  digits = {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
  trim(*this);
}

bool operator<(const BigUint& a, const BigUint& b) {
  if (a.digits.size() != b.digits.size()) return a.digits.size() < b.digits.size();
  return std::lexicographical_compare(a.digits.rbegin(), a.digits.rend(), b.digits.rbegin(),
                                      b.digits.rend());
}

BigUint operator+(const BigUint& a, const BigUint& b) {
  BigUint sum;
  uint64_t carry = 0;
  for (size_t i = 0; i < std::max(a.digits.size(), b.digits.size()) || carry != 0; ++i) {
    carry += digit(a, i) + digit(b, i);
    sum.digits.push_back(static_cast<uint32_t>(carry));
    carry >>= 32;
  }
  return sum;
}

BigUint operator-(const BigUint& a, const BigUint& b) {
  BigUint difference = a;
  uint64_t borrow = 0;
  for (size_t i = 0; i < difference.digits.size(); ++i) {
    const uint64_t taken = digit(b, i) + borrow;
    borrow = difference.digits[i] < taken ? 1 : 0;
    difference.digits[i] = static_cast<uint32_t>(difference.digits[i] - taken);
  }
  trim(difference);
  return difference;
}

BigUint operator*(const BigUint& a, const BigUint& b) {
  BigUint product;
  product.digits.assign(a.digits.size() + b.digits.size(), 0);
  for (size_t i = 0; i < a.digits.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < b.digits.size() || carry != 0; ++j) {
      carry += product.digits[i + j] + uint64_t{a.digits[i]} * digit(b, j);
      product.digits[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  trim(product);
  return product;
}

std::pair<BigUint, BigUint> divide(const BigUint& a, const BigUint& b) {
  BigUint quotient, rest;
  quotient.digits.assign(a.digits.size(), 0);
  for (size_t i = a.digits.size() * 32; i-- > 0;) {  // long division, bit by bit
    shift_in(rest, (a.digits[i / 32] >> (i % 32)) & 1);
    if (rest < b) continue;
    rest = rest - b;
    quotient.digits[i / 32] |= uint32_t{1} << (i % 32);
  }
  trim(quotient);
  return {quotient, rest};
}

std::optional<int64_t> to_int64(const BigUint& a) {
  if (a.digits.size() > 2) return std::nullopt;
  const uint64_t value = digit(a, 1) << 32 | digit(a, 0);
  if (value > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::string to_text(const BigUint& a) {
  if (a.digits.empty()) return "0";
  std::string text;
  for (BigUint left = a; !left.digits.empty();) {
    uint32_t nine = divide_in_place(left, 1'000'000'000);
    for (int i = 0; i < 9; ++i, nine /= 10) text += static_cast<char>('0' + nine % 10);
  }
  while (text.back() == '0') text.pop_back();
  std::reverse(text.begin(), text.end());
  return text;
}

}  // namespace tileproof::conform

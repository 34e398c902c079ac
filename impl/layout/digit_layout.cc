// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/digit_layout.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

int64_t ceil_div(int64_t x, int64_t n) { return x / n + (x % n != 0 ? 1 : 0); }

absl::Status too_large(absl::string_view what) {
  return absl::OutOfRangeError(absl::StrCat(what, " does not fit 64 signed bits"));
}

bool has_no_elements(const std::vector<int64_t>& dims) {
  return std::find(dims.begin(), dims.end(), 0) != dims.end();
}

// Major to minor. Among equal strides, digits of size 1 come last, because they occupy no memory;
// otherwise the order of dimensions stays.
void sort_by_stride(std::vector<LayoutDigit>& digits) {
  std::stable_sort(digits.begin(), digits.end(), [](const LayoutDigit& a, const LayoutDigit& b) {
    if (a.stride != b.stride) return a.stride > b.stride;
    return a.size > 1 && b.size == 1;
  });
}

// The digits of dimension d, minor first.
std::vector<LayoutDigit> of_dimension(const DigitLayout& layout, int64_t d) {
  std::vector<LayoutDigit> digits;
  for (const LayoutDigit& digit : layout.digits) {
    if (digit.dimension == d) digits.push_back(digit);
  }
  std::stable_sort(digits.begin(), digits.end(), [](const LayoutDigit& a, const LayoutDigit& b) {
    return a.divisor < b.divisor;
  });
  return digits;
}

// The integers of a mode, with their strides.
void append_leaves(const IntTuple& shape, const IntTuple& stride,
                   std::vector<std::pair<int64_t, int64_t>>& leaves) {
  if (!shape.is_tuple) leaves.emplace_back(shape.value, stride.value);
  for (size_t i = 0; i < shape.elements.size(); ++i)
    append_leaves(shape.elements[i], stride.elements[i], leaves);
}

// Returns whether `digit` continues the more minor `previous`, so that both are one digit.
bool continues(const LayoutDigit& previous, const LayoutDigit& digit) {
  return checked_mul(previous.stride, previous.size) == digit.stride;
}

}  // namespace

absl::StatusOr<DigitLayout> digits_of(const Shape& shape) {
  const TiledLayout layout = TRY(TiledLayout::create(shape));
  const std::optional<std::vector<Numeral::Term>> terms = TRY(offset_digits(shape));
  if (!terms.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("a tile of ", to_text(shape), " cuts through digits of the coordinates"));
  }
  DigitLayout result{layout.logical(), {}};
  for (const auto& [weight, digit] : *terms) {  // by falling weight
    const int64_t left = ceil_div(result.dims[digit.source], digit.divisor);
    const int64_t size = digit.modulus == Digit::kWhole ? left : digit.modulus;
    result.digits.push_back({digit.source, digit.divisor, size, weight});
  }
  return result;
}

absl::StatusOr<DigitLayout> digits_of(const tileproof::NestedLayout& layout,
                                      std::vector<int64_t> dims) {
  DigitLayout result{std::move(dims), {}};
  if (has_no_elements(result.dims)) return result;
  for (int64_t d = 0; d < std::ssize(result.dims); ++d) {
    const tileproof::NestedLayout part = mode(layout, d);
    std::vector<std::pair<int64_t, int64_t>> leaves;
    append_leaves(part.shape, part.stride, leaves);
    std::optional<int64_t> divisor = 1;
    for (const auto& [size, stride] : leaves) {
      if (!divisor) return too_large(absl::StrCat("the size of mode ", d));
      result.digits.push_back({d, *divisor, size, stride});
      divisor = checked_mul(*divisor, size);
    }
  }
  sort_by_stride(result.digits);
  return result;
}

absl::StatusOr<DigitLayout> digits_of(const BlockedShape& shape) {
  TRY(validate(shape));
  DigitLayout result{shape.dims, {}};
  if (has_no_elements(result.dims)) return result;
  // Minor to major: the divisor of a block is the product of the later blocks of its dimension.
  const BlockedFormat& format = shape.format;
  std::vector<int64_t> divisors(format.rank(), 1);
  std::optional<int64_t> stride = 1;  // nothing: beyond 64 bits
  const auto position = [&](int64_t d, int64_t size) {
    if (!stride) return;
    result.digits.push_back({d, divisors[d], size, *stride});
    stride = checked_mul(*stride, size);
    if (stride) divisors[d] *= size;  // which divides the stride
  };
  for (auto block = format.blocks.rbegin(); block != format.blocks.rend(); ++block)
    position(block->dimension, block->size);
  for (auto d = format.outer.rbegin(); d != format.outer.rend(); ++d)
    position(*d, ceil_div(shape.dims[*d], divisors[*d]));
  if (!stride) return too_large("the padded number of elements");
  std::reverse(result.digits.begin(), result.digits.end());
  return result;
}

DigitLayout simplest(const DigitLayout& layout) {
  DigitLayout result{layout.dims, {}};
  for (int64_t d = 0; d < std::ssize(layout.dims); ++d) {
    const size_t first = result.digits.size();
    for (LayoutDigit digit : of_dimension(layout, d)) {
      digit.size = std::min(digit.size, ceil_div(layout.dims[d], digit.divisor));
      if (digit.size <= 1) continue;
      if (result.digits.size() > first && continues(result.digits.back(), digit)) {
        result.digits.back().size *= digit.size;  // at most the dimension, rounded up
      } else {
        result.digits.push_back(digit);
      }
    }
    // Merging digits may have rounded the last one up beyond the end of the dimension.
    if (result.digits.size() > first) {
      LayoutDigit& last = result.digits.back();
      last.size = ceil_div(layout.dims[d], last.divisor);
    }
  }
  sort_by_stride(result.digits);
  return result;
}

tileproof::NestedLayout to_nested(const DigitLayout& layout) {
  std::vector<IntTuple> shape, stride;
  for (int64_t d = 0; d < std::ssize(layout.dims); ++d) {
    std::vector<int64_t> sizes, strides;
    for (const LayoutDigit& digit : of_dimension(layout, d)) {
      sizes.push_back(digit.size);
      strides.push_back(digit.stride);
    }
    if (sizes.empty()) {
      sizes.push_back(layout.dims[d]);
      strides.push_back(0);
    }
    const bool flat = sizes.size() == 1;
    shape.push_back(flat ? make_integer(sizes[0]) : make_flat(sizes));
    stride.push_back(flat ? make_integer(strides[0]) : make_flat(strides));
  }
  return {make_tuple(std::move(shape)), make_tuple(std::move(stride))};
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/nested_tags.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "impl/layout/divisor.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kRest = 0;  // the digit that holds what is left of the dimension

struct TagDigits {
  std::vector<int64_t> rows;  // sizes, the digit that changes fastest first
  std::vector<int64_t> cols;
  absl::string_view memory;  // digits of rows (a) and cols (b), the one that changes fastest first
  int64_t line = 1;          // the first digit of memory is padded to a multiple of this
  int64_t beside = 0;        // slots that lie beside the digits of known size
};

// Q4_0 of ggml: a scale of 16 bits for each of `lines` rows lies beside 32 values of each.
TagDigits q4_0(int64_t lines, int64_t bytes) {
  return {{lines, kRest}, {bytes, 16 / bytes, 2, kRest}, "b2b0a0b1b3a1", 1, lines * 4};
}

TagDigits digits_of_tag(Tag tag, int64_t bits) {
  const int64_t c0 = 256 / bits;
  const int64_t line = bits == 4 ? 2 : 1;  // a whole byte
  switch (tag) {
    case Tag::kRowMajor:
      return {{kRest}, {kRest}, "b0a0", line};
    case Tag::kColumnMajor:
      return {{kRest}, {kRest}, "a0b0", line};
    case Tag::kzN:
      return {{16, kRest}, {c0, kRest}, "b0a0a1b1"};
    case Tag::knZ:
      return {{c0, kRest}, {16, kRest}, "a0b0b1a1"};
    case Tag::kzZ:
      return {{16, kRest}, {c0, kRest}, "b0a0b1a1"};
    case Tag::knN:
      return {{c0, kRest}, {16, kRest}, "a0b0a1b1"};
    case Tag::kL0C:
      return {{16, kRest}, {16, kRest}, "b0a0a1b1"};
    case Tag::kWeight4BitnZ:
      return {{32, kRest}, {16, kRest}, "a0b0b1a1"};
    case Tag::kVectorLayout:
      return {{}, {kRest}, "b0"};
    case Tag::kCol32:
      return {{kRest}, {32, kRest}, "b0a0b1"};
    case Tag::kCol4_4R2_8C:
      return {{2, 4, kRest}, {4, 2, 4, kRest}, "b0a1b1b2a0a2b3"};
    case Tag::kCol32_2R_4R4:
      return {{2, 4, 4, kRest}, {32, kRest}, "b0a0a2a1a3b1"};
    case Tag::kSwizzle32_4_4:
      return {{32, 4, kRest}, {4, kRest}, "b0a1a0b1a2"};
    case Tag::kVnni:
      return {{std::max<int64_t>(32 / bits, 1), kRest}, {kRest}, "a0b0a1"};
    case Tag::kQ4_0_4_4:
      return q4_0(4, 4);
    case Tag::kQ4_0_4_8:
      return q4_0(4, 8);
    case Tag::kQ4_0_8_8:
      return q4_0(8, 8);
  }
  return {};
}

// Replaces kRest, which is the last digit.
void fill_rest(std::vector<int64_t>& digits, int64_t extent) {
  if (digits.empty()) return;
  int64_t tile = 1;
  for (size_t i = 0; i + 1 < digits.size(); ++i) tile *= digits[i];
  digits.back() = ceil_div(extent, tile);
}

IntTuple mode_of(absl::Span<const int64_t> digits) {
  return digits.size() == 1 ? make_integer(digits[0]) : make_flat(digits);
}

}  // namespace

absl::StatusOr<tileproof::NestedLayout> make_layout(Tag tag, int64_t element_bits, int64_t rows,
                                                    int64_t cols) {
  TRY(validate(tag, element_bits, rows, cols));
  TagDigits shape = digits_of_tag(tag, element_bits);
  TagDigits stride = shape;
  fill_rest(shape.rows, rows);
  fill_rest(shape.cols, cols);
  std::optional<int64_t> size = 1;  // of the digits so far
  for (size_t i = 0; i < shape.memory.size(); i += 2) {
    const size_t digit = shape.memory[i + 1] - '0';
    const auto of_digit = [&](TagDigits& all) -> int64_t& {
      return (shape.memory[i] == 'a' ? all.rows : all.cols)[digit];
    };
    int64_t& result = of_digit(stride);
    if (result == kRest && size) size = checked_add(*size, std::exchange(shape.beside, 0));
    if (!size) return absl::OutOfRangeError("a stride does not fit 64 signed bits");
    result = *size;
    std::optional<int64_t> extent = of_digit(shape);
    if (i == 0) extent = checked_add(*extent, (shape.line - *extent % shape.line) % shape.line);
    size = extent ? checked_mul(*size, *extent) : std::nullopt;
  }
  if (shape.rows.empty())
    return tileproof::NestedLayout{make_flat(shape.cols), make_flat(stride.cols)};
  return tileproof::NestedLayout{make_tuple({mode_of(shape.rows), mode_of(shape.cols)}),
                                 make_tuple({mode_of(stride.rows), mode_of(stride.cols)})};
}

absl::StatusOr<tileproof::NestedLayout> make_layout(const TaggedShape& tagged) {
  TRY(validate(tagged));
  return make_layout(tagged.tag, tla_bits(tagged.element_type), tagged.dims.front(),
                     tagged.dims.back());
}

absl::StatusOr<tileproof::NestedLayout> make_layout_tile(const tileproof::NestedLayout& layout,
                                                         absl::Span<const int64_t> tile) {
  if (std::ssize(tile) != rank(layout.shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", rank(layout.shape), " tile sizes, found ", tile.size()));
  }
  tileproof::NestedLayout result = layout;
  for (int64_t k = 0; k < std::ssize(tile); ++k) {
    if (tile[k] < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("expected no negative tile size, found ", tile[k]));
    IntTuple& extent = result.shape.is_tuple ? result.shape.elements[k] : result.shape;
    const bool blocked_mode = rank(extent) == 2 && !extent.elements[1].is_tuple &&
                              extent.elements[0].value > 0;  // the value of a tuple is 0
    if (extent.is_tuple && !blocked_mode) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected mode ", k, " to be flat or (inner,outer)"));
    }
    if (extent.is_tuple) {
      extent.elements[1] = make_integer(ceil_div(tile[k], extent.elements[0].value));
    } else {
      extent = make_integer(tile[k]);
    }
  }
  return result;
}

}  // namespace tileproof::impl

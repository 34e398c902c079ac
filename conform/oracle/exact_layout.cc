// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/exact_layout.h"

#include <algorithm>
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

}  // namespace tileproof::conform

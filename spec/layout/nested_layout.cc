// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/nested_layout.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::spec {
namespace {

absl::Status too_large(absl::string_view what) {
  return absl::OutOfRangeError(absl::StrCat(std::string(what), " does not fit 64 signed bits"));
}

// Returns the text of the tuple, cut to fit an error of one line.
std::string shown(const IntTuple& tuple) {
  constexpr size_t kMost = 80;
  const std::string text = to_text(tuple);
  return text.size() <= kMost ? text : absl::StrCat(text.substr(0, kMost), "..");
}

absl::Status invalid(const Coordinate& coordinate, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("coordinate ", shown(coordinate), ": ", std::string(why)));
}

// Returns the product: 0 if an extent is 0, nullopt if the product exceeds int64.
std::optional<int64_t> product(const std::vector<int64_t>& extents) {
  std::optional<int64_t> result = 1;
  for (int64_t extent : extents) {
    if (extent == 0) return 0;
    if (result) result = checked_mul(*result, extent);
  }
  return result;
}

// Returns the rightmost element of the rightmost element, and so on: an integer or the empty tuple.
const IntTuple& last_of(const IntTuple& tuple) {
  const IntTuple* at = &tuple;
  while (!at->elements.empty()) at = &at->elements.back();
  return *at;
}

absl::Status check_integer(const IntTuple& shape, const Coordinate& c) {
  if (c.value < 0) return invalid(c, "expected an integer of at least 0");
  if (!shape.is_tuple) return absl::OkStatus();
  std::vector<int64_t> divisors = leaves(shape);
  const bool extrapolates = !last_of(shape).is_tuple;
  if (extrapolates) divisors.pop_back();
  const std::optional<int64_t> below = product(divisors);
  if (below == 0) {
    return invalid(c, absl::StrCat("expected a tuple, as a mode of ", shown(shape),
                                   " that is not the last has no elements"));
  }
  if (!extrapolates && below && c.value >= *below) {
    return invalid(c, absl::StrCat("expected an integer below the size of ", shown(shape),
                                   ", as its last mode is empty"));
  }
  return absl::OkStatus();
}

// Returns the sum of coordinate[i] * strides[i]. Keeps the sum in two parts, units of 2^64 and the
// rest, so that it is "too large" only if the final sum is.
Exact inner_product(const std::vector<int64_t>& coordinate, const std::vector<int64_t>& strides) {
  const Exact unit = exact(Wide{1} << 64);
  Exact units = exact(0);
  Exact rest = exact(0);
  for (size_t i = 0; i < strides.size(); ++i) {
    const Exact product = exact(coordinate[i]) * strides[i];
    units = units + floordiv(product, unit);
    rest = rest + mod(product, unit);
  }
  return (units + floordiv(rest, unit)) * unit + mod(rest, unit);
}

// Returns the highest (sign 1) or the lowest (sign -1) offset. Takes the last coordinate in each
// mode whose stride has that sign, and 0 in the others.
Exact extreme(const NestedLayout& layout, int sign) {
  const std::vector<int64_t> strides = leaves(layout.stride);
  std::vector<int64_t> coordinate = leaves(layout.shape);
  for (size_t i = 0; i < strides.size(); ++i) {
    coordinate[i] = (strides[i] > 0) == (sign > 0) ? coordinate[i] - 1 : 0;
  }
  return inner_product(coordinate, strides);
}

}  // namespace

Modes modes_of(const IntTuple& shape) {
  if (!shape.is_tuple) return {.size = shape.value, .modes = {}};
  Modes result{.is_tuple = true, .size = {}, .modes = {}};
  std::optional<int64_t> product = 1;
  bool empty = false;
  for (const IntTuple& element : shape.elements) {
    result.modes.push_back(modes_of(element));
    const std::optional<int64_t> size = result.modes.back().size;
    empty |= size == 0;
    product = product && size ? checked_mul(*product, *size) : std::nullopt;
  }
  result.size = empty ? 0 : product;
  return result;
}

absl::StatusOr<int64_t> size(const IntTuple& shape) {
  const std::optional<int64_t> result = product(leaves(shape));
  if (!result) return too_large("the size");
  return *result;
}

absl::StatusOr<int64_t> cosize(const NestedLayout& layout) {
  if (product(leaves(layout.shape)) == 0) return 0;
  const std::optional<int64_t> positions =
      to_int64(extreme(layout, 1) - extreme(layout, -1) + exact(1));
  if (!positions) return too_large("the cosize");
  return *positions;
}

absl::StatusOr<Coordinate> spread(const IntTuple& shape, const Coordinate& coordinate) {
  if (!coordinate.is_tuple) {
    TRY(check_integer(shape, coordinate));
    std::vector<int64_t> leaves;
    spread_integer(modes_of(shape), coordinate.value, leaves);
    return with_leaves(shape, leaves);
  }
  if (!shape.is_tuple) return invalid(coordinate, "expected an integer, as in the shape");
  if (rank(coordinate) != rank(shape)) {
    return invalid(coordinate,
                   absl::StrCat("expected an integer or a tuple of ", rank(shape), " for the mode ",
                                shown(shape), ", found a tuple of ", rank(coordinate)));
  }
  std::vector<IntTuple> elements;
  for (int64_t k = 0; k < rank(shape); ++k) {
    elements.push_back(TRY(spread(shape.elements[k], coordinate.elements[k])));
  }
  return make_tuple(std::move(elements));
}

absl::StatusOr<int64_t> offset(const NestedLayout& layout, const Coordinate& coordinate) {
  const Coordinate full = TRY(spread(layout.shape, coordinate));
  const std::optional<int64_t> result =
      to_int64(inner_product(leaves(full), leaves(layout.stride)));
  if (!result) return too_large("the offset");
  return *result;
}

absl::StatusOr<std::optional<Coordinate>> coordinate_at(const NestedLayout& layout,
                                                        int64_t offset) {
  const std::optional<int64_t> count = product(leaves(layout.shape));
  if (!count || *count > kMaxWalked) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the reference walks at most ", kMaxWalked, " coordinates"));
  }
  const Modes shape = modes_of(layout.shape);
  const std::vector<int64_t> strides = leaves(layout.stride);
  for (int64_t c = 0; c < *count; ++c) {
    std::vector<int64_t> leaves;
    spread_integer(shape, c, leaves);
    if (to_int64(inner_product(leaves, strides)) != offset) continue;
    return std::optional(with_leaves(layout.shape, leaves));
  }
  return std::optional<Coordinate>();
}

}  // namespace tileproof::spec

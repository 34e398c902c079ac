// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/nested_layout.h"

#include <algorithm>
#include <optional>
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

namespace {

absl::Status invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

// Extents or strides that may not fit int64: one or two for each mode.
using TagModes = std::vector<std::vector<Exact>>;

absl::StatusOr<IntTuple> fitted(const TagModes& modes, absl::string_view what) {
  std::vector<IntTuple> elements;
  for (const std::vector<Exact>& mode : modes) {
    std::vector<int64_t> numbers;
    for (const Exact& number : mode) {
      const std::optional<int64_t> fits = to_int64(number);
      if (!fits) {
        return absl::OutOfRangeError(
            absl::StrCat(std::string(what), " does not fit 64 signed bits"));
      }
      numbers.push_back(*fits);
    }
    elements.push_back(mode.size() == 1 ? make_integer(numbers[0]) : make_flat(numbers));
  }
  return make_tuple(std::move(elements));
}

absl::StatusOr<NestedLayout> fitted(const TagModes& shape, const TagModes& stride) {
  IntTuple extents = TRY(fitted(shape, "an extent"));
  IntTuple strides = TRY(fitted(stride, "a stride"));
  return NestedLayout{std::move(extents), std::move(strides)};
}

Exact over(const Exact& x, int64_t n) { return floordiv(x + exact(n - 1), n); }  // up(x, n) / n
Exact up(const Exact& x, int64_t n) { return over(x, n) * n; }

// Q4_0 of ggml: `lines` rows side by side, in chunks of `bytes` bytes. A block is 32 values of each
// row and, before them, a scale of 16 bits for each row. A byte holds values j and j + 16.
absl::StatusOr<NestedLayout> q4_0(const Exact& r, const Exact& c, int64_t lines, int64_t bytes) {
  const Exact block = exact(lines * (32 + 4));
  return fitted(
      {{exact(lines), over(r, lines)}, {exact(bytes), exact(16 / bytes), exact(2), over(c, 32)}},
      {{exact(2 * bytes), over(c, 32) * block},
       {exact(2), exact(2 * bytes * lines), exact(1), block}});
}

absl::StatusOr<NestedLayout> layout_of(Tag tag, int64_t bits, const Exact& r, const Exact& c) {
  const int64_t c0 = 256 / bits;
  const Exact one = exact(1);
  const Exact C0 = exact(c0);
  const Exact F = exact(4096 / bits);
  const Exact n16 = exact(16);
  const Exact n32 = exact(32);
  const TagModes z_shape = {{n16, over(r, 16)}, {C0, over(c, c0)}};
  const TagModes n_shape = {{C0, over(r, c0)}, {n16, over(c, 16)}};
  switch (tag) {
    case Tag::kRowMajor:
      return fitted({{r}, {c}}, {{bits == 4 ? up(c, 2) : c}, {one}});
    case Tag::kColumnMajor:
      return fitted({{r}, {c}}, {{one}, {bits == 4 ? up(r, 2) : r}});
    case Tag::kzN:
      return fitted(z_shape, {{C0, F}, {one, up(r, 16) * C0}});
    case Tag::knZ:
      return fitted(n_shape, {{one, up(c, 16) * C0}, {C0, F}});
    case Tag::kzZ:
      return fitted(z_shape, {{C0, up(c, c0) * 16}, {one, F}});
    case Tag::knN:
      return fitted(n_shape, {{one, F}, {C0, up(r, c0) * 16}});
    case Tag::kL0C:
      return fitted({{n16, over(r, 16)}, {n16, over(c, 16)}},
                    {{n16, exact(256)}, {one, up(r, 16) * 16}});
    case Tag::kWeight4BitnZ:
      return fitted({{n32, over(r, 32)}, {n16, over(c, 16)}},
                    {{one, up(c, 16) * 32}, {n32, exact(512)}});
    case Tag::kCol32:
      return fitted({{r}, {n32, over(c, 32)}}, {{n32}, {one, r * 32}});
    case Tag::kCol4_4R2_8C:
      return fitted({{exact(2), exact(4), over(r, 8)}, {exact(4), exact(2), exact(4), over(c, 32)}},
                    {{exact(128), exact(4), exact(256)}, {one, n16, n32, up(r, 8) * 32}});
    case Tag::kCol32_2R_4R4:
      return fitted({{exact(2), exact(4), exact(4), over(r, 32)}, {n32, over(c, 32)}},
                    {{n32, exact(256), exact(64), exact(1024)}, {one, up(r, 32) * 32}});
    case Tag::kSwizzle32_4_4:
      return fitted({{n32, exact(4), over(r, 128)}, {exact(4), over(c, 4)}},
                    {{n16, exact(4), up(c, 4) * 128}, {one, exact(512)}});
    case Tag::kVnni: {
      const int64_t lines = bits < 32 ? 32 / bits : 1;
      return fitted({{exact(lines), over(r, lines)}, {c}}, {{one, c * lines}, {exact(lines)}});
    }
    case Tag::kQ4_0_4_4:
      return q4_0(r, c, 4, 4);
    case Tag::kQ4_0_4_8:
      return q4_0(r, c, 4, 8);
    case Tag::kQ4_0_8_8:
      return q4_0(r, c, 8, 8);
    case Tag::kVectorLayout:
      break;
  }
  return fitted({{c}}, {{one}});
}

}  // namespace

absl::StatusOr<NestedLayout> make_layout(Tag tag, int64_t element_bits, int64_t rows,
                                         int64_t cols) {
  TRY(validate(tag, element_bits, rows, cols));
  return layout_of(tag, element_bits, exact(rows), exact(cols));
}

absl::StatusOr<NestedLayout> make_layout(const TaggedShape& tagged) {
  TRY(validate(tagged));
  // A vector has no rows; they do not matter.
  return make_layout(tagged.tag, tla_bits(tagged.element_type), tagged.dims.front(),
                     tagged.dims.back());
}

absl::StatusOr<NestedLayout> make_layout_tile(const NestedLayout& layout,
                                              absl::Span<const int64_t> tile) {
  if (std::ssize(tile) != rank(layout.shape)) {
    return invalid(absl::StrCat("expected a tile of ", rank(layout.shape),
                                " sizes, as the layout has modes, found ", tile.size()));
  }
  NestedLayout result = layout;
  for (int64_t k = 0; k < std::ssize(tile); ++k) {
    if (tile[k] < 0) {
      return invalid(absl::StrCat("expected a tile size of at least 0, found ", tile[k]));
    }
    IntTuple& mode = result.shape.is_tuple ? result.shape.elements[k] : result.shape;
    if (!mode.is_tuple) {
      mode = make_integer(tile[k]);
      continue;
    }
    if (depth(mode) != 1 || rank(mode) != 2 || mode.elements[0].value == 0) {
      return invalid(absl::StrCat("expected mode ", k,
                                  " to be an integer or (inner,outer), inner of at least 1"));
    }
    mode.elements[1] = make_integer(*to_int64(over(exact(tile[k]), mode.elements[0].value)));
  }
  return result;
}

absl::StatusOr<std::vector<int64_t>> valid_extent(absl::Span<const int64_t> extent,
                                                  absl::Span<const int64_t> coord,
                                                  absl::Span<const int64_t> tile) {
  if (extent.size() != coord.size() || extent.size() != tile.size()) {
    return invalid(absl::StrCat("expected extent, coord and tile of one rank, found ",
                                extent.size(), ", ", coord.size(), " and ", tile.size()));
  }
  std::vector<int64_t> result;
  for (size_t d = 0; d < extent.size(); ++d) {
    if (extent[d] < 0 || coord[d] < 0 || tile[d] < 0) {
      return invalid("expected numbers of at least 0 in extent, coord and tile");
    }
    result.push_back(std::min(tile[d], std::max<int64_t>(extent[d] - coord[d], 0)));
  }
  return result;
}

}  // namespace tileproof::spec

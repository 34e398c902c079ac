// SPDX-License-Identifier: Apache-2.0
#include "spec/layout/nested_tags.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
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

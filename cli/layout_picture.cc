// SPDX-License-Identifier: Apache-2.0
#include "cli/layout_picture.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof::cli {
namespace {

constexpr int64_t kMaxPositionsOfText = 1024;
constexpr int64_t kMaxPositionsOfSvg = 4096;
constexpr int64_t kMaxColumns = 32;  // of a text picture

// An array of one or two dimensions as rows and columns.
struct Grid {
  int64_t rows = 1, columns = 1;
  bool is_matrix = false;

  explicit Grid(const std::vector<int64_t>& dims) : is_matrix(dims.size() == 2) {
    if (is_matrix) rows = dims[0];
    if (!dims.empty()) columns = dims.back();
  }
  std::vector<int64_t> index(int64_t row, int64_t column) const {
    return is_matrix ? std::vector{row, column} : std::vector{column};
  }
  // Row-major number of the element.
  int64_t number(const std::vector<int64_t>& index) const {
    return is_matrix ? index[0] * columns + index[1] : index[0];
  }
};

// The element at an offset, by its row-major number.
std::optional<int64_t> element_at(const impl::TiledLayout& layout, const Grid& grid,
                                  int64_t offset) {
  std::vector<int64_t> index(layout.logical().size());
  if (!layout.delinearize_unchecked(offset, absl::MakeSpan(index))) return std::nullopt;
  return grid.number(index);
}

// The length of a row of memory: the most minor physical dimension.
int64_t memory_row(const impl::TiledLayout& layout) {
  return layout.physical().empty() ? 1 : layout.physical().back();
}

std::string cell(std::optional<int64_t> value, int64_t width) {
  const std::string text = value ? absl::StrCat(*value) : ".";
  return absl::StrCat(std::string(std::max<int64_t>(0, width - std::ssize(text)), ' '), text);
}

// The offsets in one tile: the product of the trailing half of the physical dimensions.
int64_t tile_positions(const impl::TiledLayout& layout) {
  int64_t positions = 1;
  const std::vector<int64_t>& dims = layout.physical();
  for (size_t d = layout.logical().size(); d < dims.size(); ++d) positions *= dims[d];
  return positions;
}

constexpr int64_t kSide = 36;  // of a square, in pixels

void append_square(std::string& svg, int64_t x, int64_t y, absl::string_view fill,
                   absl::string_view label) {
  absl::StrAppend(&svg, "<rect x=\"", x, "\" y=\"", y, "\" width=\"", kSide, "\" height=\"", kSide,
                  "\" fill=\"", fill, "\" stroke=\"#555\"/><text x=\"", x + kSide / 2, "\" y=\"",
                  y + kSide / 2 + 4, "\">", label, "</text>\n");
}

std::string color_of(const impl::TiledLayout& layout, int64_t offset) {
  const int64_t tile = offset / tile_positions(layout);
  return absl::StrCat("hsl(", tile * 137 % 360,
                      ",60%,82%)");  // 137 degrees, the golden angle, separates neighboring tiles
}

void append_caption(std::string& svg, int64_t y, absl::string_view caption) {
  absl::StrAppend(&svg, "<text x=\"8\" y=\"", y, "\" style=\"text-anchor:start\">", caption,
                  "</text>\n");
}

constexpr int64_t kElementsOfPart = 8;

}  // namespace

std::string part_of_offsets(const impl::TiledLayout& layout) {
  std::string text = "too large to draw; the offsets of the first elements\n";
  std::vector<int64_t> index(layout.logical().size(), 0);
  for (int64_t left = kElementsOfPart; left > 0; --left) {
    absl::StrAppend(&text, "  [", absl::StrJoin(index, ","), "]  ",
                    layout.linearize_unchecked(index), "\n");
    size_t d = index.size();
    while (d > 0 && ++index[d - 1] == layout.logical()[d - 1]) index[--d] = 0;
    if (d == 0) return text;  // there are no more
  }
  return text + "  ..\n";
}

std::string text_picture(const impl::TiledLayout& layout) {
  const size_t rank = layout.logical().size();
  const Grid grid(layout.logical());
  const int64_t wide = memory_row(layout);
  if (rank == 0 || rank > 2 || layout.elements() == 0 || layout.elements() > kMaxPositionsOfText ||
      grid.columns > kMaxColumns || wide > 4 * kMaxColumns) {
    return "";
  }
  const int64_t width = std::ssize(absl::StrCat(layout.elements())) + 1;
  std::string text = "offset of each element\n";
  for (int64_t row = 0; row < grid.rows; ++row) {
    for (int64_t column = 0; column < grid.columns; ++column) {
      text += cell(layout.linearize_unchecked(grid.index(row, column)), width);
    }
    text += "\n";
  }
  text += "element at each offset, '.' is padding\n";
  const int64_t line = std::max(wide, std::min(wide * 8, kMaxColumns) / wide * wide);
  for (int64_t offset = 0; offset < layout.elements(); ++offset) {
    text += cell(element_at(layout, grid, offset), width);
    if ((offset + 1) % line == 0 || offset + 1 == layout.elements()) {
      text += "\n";
    } else if ((offset + 1) % wide == 0) {
      text += " |";
    }
  }
  return text;
}

absl::StatusOr<std::string> svg_picture(const impl::TiledLayout& layout) {
  const size_t rank = layout.logical().size();
  if (rank == 0 || rank > 2 || layout.elements() == 0 || layout.elements() > kMaxPositionsOfSvg) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an array of one or two dimensions and at most ", kMaxPositionsOfSvg,
                     " slots to draw"));
  }
  const Grid grid(layout.logical());
  const int64_t wide = std::max(memory_row(layout), std::min<int64_t>(layout.elements(), 16));
  const int64_t memory_rows = (layout.elements() + wide - 1) / wide;
  const int64_t memory_top = grid.rows * kSide + 60;
  std::string svg = absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"",
                                 std::max(grid.columns, wide) * kSide + 16, "\" height=\"",
                                 memory_top + memory_rows * kSide + 8,
                                 "\"><style>text{font:11px sans-serif;text-anchor:middle}</style>\n"
                                 "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
  append_caption(svg, 16, "offset of each element");
  for (int64_t row = 0; row < grid.rows; ++row) {
    for (int64_t column = 0; column < grid.columns; ++column) {
      const int64_t offset = layout.linearize_unchecked(grid.index(row, column));
      append_square(svg, 8 + column * kSide, 24 + row * kSide, color_of(layout, offset),
                    absl::StrCat(offset));
    }
  }
  append_caption(svg, memory_top - 8, "element at each offset, gray is padding");
  for (int64_t offset = 0; offset < layout.elements(); ++offset) {
    const std::optional<int64_t> element = element_at(layout, grid, offset);
    append_square(svg, 8 + offset % wide * kSide, memory_top + offset / wide * kSide,
                  element ? color_of(layout, offset) : "#ddd",
                  element ? absl::StrCat(*element) : "");
  }
  return svg + "</svg>\n";
}

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "picture/layout_svg.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "picture/array_view.h"
#include "picture/drawn_layout.h"
#include "picture/moves_view.h"
#include "picture/svg.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"

namespace tileproof::picture {
namespace {

constexpr int64_t kMostElements = 2048;  // of an array that is drawn whole
constexpr int64_t kMostTiles = 16;       // drawn along each axis
constexpr int64_t kMostMemoryRows = 16;  // of memory
constexpr int64_t kMostSlots = 32;       // in a row of memory
constexpr int64_t kLineBytes = 64, kBanks = 32, kBankBytes = 4;

int64_t address(const DrawnLayout& layout, int64_t offset) {
  return offset * layout.element_bits / 8;  // offset < 2^63 / bits, as bytes fit 64 bits
}

int64_t bank_of(const DrawnLayout& layout, int64_t offset) {
  return address(layout, offset) / kBankBytes % kBanks;
}

int64_t elements_of_tile(const DrawnLayout& layout) {
  int64_t elements = 1;
  if (layout.tiles.empty()) return elements;
  for (const int64_t size : layout.tiles.front()) elements *= size;
  return elements;
}

// Neighbors in a cycle of seven colors differ in lightness.
Color in_cycle(int64_t number) { return ramp(static_cast<double>(number * 3 % 7) / 8); }

Color color_of(const DrawnLayout& layout, Coloring coloring, int64_t offset) {
  switch (coloring) {
    case Coloring::kTile:
      return in_cycle(offset / elements_of_tile(layout));
    case Coloring::kLine:
      return in_cycle(address(layout, offset) / kLineBytes);
    case Coloring::kBank:
      return ramp(static_cast<double>(bank_of(layout, offset)) / kBanks);
    case Coloring::kOffset:
      break;
  }
  return ramp(static_cast<double>(offset) /
              static_cast<double>(std::max<int64_t>(layout.slots, 1)));
}

// The most distinct words of one bank that the elements of a line along a dimension need, of the
// first 32 elements of each line.
int64_t worst_conflict(const DrawnLayout& layout, size_t dimension) {
  Dims lines = layout.dims;
  lines[dimension] = 1;
  Dims line(lines.size(), 0);
  int64_t worst = 1, tried = 0;
  do {
    std::map<int64_t, std::set<int64_t>> words;  // by bank
    for (int64_t i = 0; i < std::min<int64_t>(layout.dims[dimension], 32); ++i) {
      Dims index = line;
      index[dimension] = i;
      const int64_t offset = offset_of(layout, index);
      words[bank_of(layout, offset)].insert(address(layout, offset) / kBankBytes);
    }
    for (const auto& [bank, all] : words) worst = std::max<int64_t>(worst, std::ssize(all));
  } while (++tried < 4096 && next_index(lines, line));
  return worst;
}

std::string conflicts(const DrawnLayout& layout) {
  std::vector<std::string> parts;
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    const int64_t ways = worst_conflict(layout, d);
    parts.push_back(
        absl::StrCat("along dimension ", d, ": ", ways == 1 ? "none" : absl::StrCat(ways, "-way")));
  }
  return absl::StrCat("bank conflicts of 32 neighbors ", absl::StrJoin(parts, ", "));
}

std::string explanation(const DrawnLayout& layout, Coloring coloring) {
  switch (coloring) {
    case Coloring::kTile:
      return "colored by tile";
    case Coloring::kLine:
      return "colored by cache line of 64 bytes";
    case Coloring::kBank:
      return absl::StrCat("colored by bank; ", conflicts(layout));
    case Coloring::kOffset:
      break;
  }
  return "colored by offset, from light to dark";
}

// The page from top to bottom.
struct Page {
  Svg svg;
  int64_t width = 0, y = kMargin;

  void heading(absl::string_view text) {
    svg.heading(kMargin, y + 13, text);
    width = std::max(width, kMargin + 8 * std::ssize(text));
    y += kLineHeight;
  }
  void take(const std::pair<int64_t, int64_t>& size, int64_t x = kMargin) {
    width = std::max(width, x + size.first);
    y += size.second + kMargin;
  }
  std::string finish(absl::string_view title) && {
    return std::move(svg).finish(title, width + kMargin, y);
  }
};

ArrayView view_of(const DrawnLayout& layout, const LayoutPicture& picture) {
  return {layout,
          [&layout, coloring = picture.coloring](int64_t offset) {
            return color_of(layout, coloring, offset);
          },
          picture.path, picture.indices};
}

bool is_large(const DrawnLayout& layout) {
  return element_count(layout.padded).value_or(INT64_MAX) > kMostElements;
}

// The size of the box that is enlarged: the outermost tile, or the beginning of the array.
ArrayBox first_box(const DrawnLayout& layout) {
  ArrayBox box{Dims(layout.dims.size(), 0), layout.padded};
  if (!is_large(layout)) return box;
  for (size_t d = 0; d < box.sizes.size(); ++d) {
    int64_t size = layout.tiles.empty() ? 1 : layout.tiles.front()[d];
    if (layout.tiles.empty() && d + 2 >= box.sizes.size()) size = 32;
    box.sizes[d] = std::min(size, layout.padded[d]);
  }
  return box;
}

// The grid of tiles of the first slice, each with the offset of its first element.
std::pair<int64_t, int64_t> draw_tiles(const DrawnLayout& layout, Coloring coloring, int64_t y,
                                       Svg& svg) {
  const Dims tile = first_box(layout).sizes;
  const size_t rank = tile.size();
  const auto along = [&](size_t d) { return (layout.dims[d] + tile[d] - 1) / tile[d]; };
  const std::vector<int64_t> rows = shown(rank >= 2 ? along(rank - 2) : 1, kMostTiles);
  const std::vector<int64_t> columns = shown(along(rank - 1), kMostTiles);
  const int64_t cell = std::max<int64_t>(40, text_width(absl::StrCat(layout.slots)) + 12);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t c = 0; c < columns.size(); ++c) {
      const Rect place{kMargin + static_cast<int64_t>(c) * cell, y + static_cast<int64_t>(r) * 30,
                       cell, 30};
      if (rows[r] == kGap || columns[c] == kGap) {
        svg.text(place.x + cell / 2, place.y + 18, "..", Svg::Anchor::kMiddle);
        continue;
      }
      Dims index(rank, 0);
      if (rank >= 2) index[rank - 2] = rows[r] * tile[rank - 2];
      index[rank - 1] = columns[c] * tile[rank - 1];
      const int64_t offset = offset_of(layout, index);
      svg.cell(place, color_of(layout, coloring, offset), absl::StrCat(offset));
      svg.outline(place, 1);
    }
  }
  return {std::ssize(columns) * cell, std::ssize(rows) * 30};
}

// Slots in a row of memory: one run of the innermost tile, or 16.
int64_t row_of_memory(const DrawnLayout& layout) {
  int64_t wide = layout.tiles.empty() ? layout.dims.back() : layout.tiles.front().back();
  if (wide < 4) wide = elements_of_tile(layout);
  return wide < 4 || wide > kMostSlots ? std::min<int64_t>(16, std::max<int64_t>(layout.slots, 1))
                                       : wide;
}

// A square for each offset, with the index of its element.
std::pair<int64_t, int64_t> draw_memory(const DrawnLayout& layout, const LayoutPicture& picture,
                                        int64_t y, Svg& svg) {
  const int64_t wide = row_of_memory(layout);
  const int64_t rows = std::min((layout.slots + wide - 1) / wide, kMostMemoryRows);
  const auto indices = index_by_offset(layout, std::min(rows * wide, layout.slots));
  if (!indices) return {0, 0};
  Dims last = layout.dims;
  for (int64_t& size : last) --size;
  const int64_t cell = std::max<int64_t>(kLineHeight, text_width(absl::StrJoin(last, ",")) + 6);
  const int64_t left = text_width(absl::StrCat(rows * wide)) + 8;
  for (int64_t offset = 0; offset < std::ssize(*indices); ++offset) {
    const Rect place{kMargin + left + offset % wide * cell, y + offset / wide * kLineHeight, cell,
                     kLineHeight};
    if (offset % wide == 0)
      svg.text(place.x - 6, place.y + 15, absl::StrCat(offset), Svg::Anchor::kEnd);
    const std::optional<Dims>& index = (*indices)[offset];
    if (index) {
      const std::string at = absl::StrJoin(*index, ",");
      svg.cell(place, color_of(layout, picture.coloring, offset), at, picture.indices ? at : "");
    } else {
      svg.padding(place);
    }
  }
  int64_t height = rows * kLineHeight;
  if (rows * wide < layout.slots) {
    svg.text(kMargin, y + height + 16, absl::StrCat(".. to offset ", layout.slots - 1),
             Svg::Anchor::kStart);
    height += kLineHeight;
  }
  return {left + wide * cell, height};
}

absl::Status check_coloring(const DrawnLayout& layout, const LayoutPicture& picture) {
  const bool needs_bytes =
      picture.coloring == Coloring::kLine || picture.coloring == Coloring::kBank;
  if (!needs_bytes || layout.element_bits > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      layout.text, ": expected an element type, which lines and banks need (--type f32)"));
}

}  // namespace

absl::StatusOr<Coloring> parse_coloring(absl::string_view name) {
  if (name == "offset") return Coloring::kOffset;
  if (name == "tile") return Coloring::kTile;
  if (name == "line") return Coloring::kLine;
  if (name == "bank") return Coloring::kBank;
  return absl::InvalidArgumentError(
      absl::StrCat("expected offset, tile, line or bank, found '", name, "'"));
}

absl::StatusOr<std::string> layout_svg(const AnyLayout& layout, const LayoutPicture& picture) {
  DrawnLayout drawn = TRY(drawn_layout(layout));
  if (drawn.element_bits == 0) drawn.element_bits = picture.element_bits;
  TRY(check_coloring(drawn, picture));
  Page page;
  page.heading(drawn.text);
  page.svg.text(kMargin, page.y + 10, explanation(drawn, picture.coloring), Svg::Anchor::kStart);
  page.width = std::max(page.width, text_width(explanation(drawn, picture.coloring)) + kMargin);
  page.y += kLineHeight;
  if (is_large(drawn)) {
    page.heading(drawn.tiles.empty()
                     ? "parts of the array: the offset of the first element of each"
                     : "tiles of the array: the offset of the first element of each");
    page.take(draw_tiles(drawn, picture.coloring, page.y, page.svg));
    page.heading(drawn.tiles.empty() ? "the first part: the offset of each element"
                                     : "the first tile: the offset of each element");
  } else {
    page.heading("the array: the offset of each element");
  }
  ArrayView view = view_of(drawn, picture);
  page.take(view.draw(first_box(drawn), kMargin, page.y, page.svg));
  page.heading("memory: the index of the element at each offset");
  page.take(draw_memory(drawn, picture, page.y, page.svg));
  return std::move(page).finish(absl::StrCat("Layout ", drawn.text));
}

absl::StatusOr<std::string> compared_svg(const AnyLayout& left, const AnyLayout& right,
                                         const LayoutPicture& picture) {
  DrawnLayout first = TRY(drawn_layout(left)), second = TRY(drawn_layout(right));
  TRY(spec::share_shape(first.function, second.function));
  for (DrawnLayout* side : {&first, &second}) {
    if (side->element_bits == 0) side->element_bits = picture.element_bits;
  }
  first.dims = second.dims = first.function.dims.empty() ? Dims{1} : first.function.dims;
  TRY(check_coloring(first, picture));
  TRY(check_coloring(second, picture));
  first.padded = second.padded = first.dims;
  const ArrayBox box = first_box(is_large(first) && first.tiles.empty() ? second : first);
  Page page;
  page.heading(absl::StrCat(first.text, "  and  ", second.text));
  const int64_t line = page.y;
  page.y += kLineHeight;
  ArrayView one = view_of(first, picture), two = view_of(second, picture);
  two.other = &first;
  one.most_columns = two.most_columns = 14;
  const auto [width, height] = one.draw(box, kMargin, page.y, page.svg);
  const int64_t x = kMargin + width + 3 * kMargin;
  const auto size = two.draw(box, x, page.y, page.svg);
  page.take({size.first, std::max(height, size.second)}, x);
  page.heading("memory: what moves from the left layout to the right one");
  const int64_t memory = page.y;
  page.take(draw_moves(first, second, one.color, kMargin, memory, page.svg));
  page.svg.text(
      kMargin, line + 10,
      absl::StrCat(two.marked, " of the ", two.drawn, " elements drawn have another offset"),
      Svg::Anchor::kStart);
  return std::move(page).finish(absl::StrCat("Layouts ", first.text, " and ", second.text));
}

}  // namespace tileproof::picture

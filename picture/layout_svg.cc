// SPDX-License-Identifier: Apache-2.0
#include "picture/layout_svg.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "picture/array_view.h"
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

// The offsets that the ramp from light to dark shows.
struct Shades {
  int64_t first = 0, last = 0;
};

Color color_of(const DrawnLayout& layout, Coloring coloring, const Shades& shades, int64_t offset) {
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
  return ramp(static_cast<double>(offset - shades.first) /
              static_cast<double>(std::max<int64_t>(shades.last - shades.first, 1)));
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
  return "colored by offset";
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
  // Long texts have several lines, which begin at spaces.
  void text(absl::string_view text) {
    while (!text.empty()) {
      size_t end = text.size() <= kMostCharacters ? text.size() : text.rfind(' ', kMostCharacters);
      if (end == absl::string_view::npos) end = kMostCharacters;
      svg.text(kMargin, y + 10, text.substr(0, end), Svg::Anchor::kStart);
      width = std::max(width, text_width(text.substr(0, end)) + kMargin);
      text.remove_prefix(std::min(end + 1, text.size()));
      y += kLineHeight;
    }
  }
  // What the colors say, and beside it the ramp if they are one.
  void colors(const DrawnLayout& layout, Coloring coloring, const Shades& shades) {
    const std::string said = explanation(layout, coloring);
    const int64_t x = kMargin + text_width(said) + kMargin, line = y + 10;
    text(said);
    if (coloring != Coloring::kOffset && coloring != Coloring::kBank) return;
    const bool is_bank = coloring == Coloring::kBank;
    const int64_t low = is_bank ? 0 : shades.first, high = is_bank ? kBanks - 1 : shades.last;
    width = std::max(width, x + svg.legend(x, line, absl::StrCat(low), absl::StrCat(high)));
  }
  void take(const std::pair<int64_t, int64_t>& size, int64_t x = kMargin) {
    width = std::max(width, x + size.first);
    y += size.second + kMargin;
  }
  std::string finish(absl::string_view title) && {
    return std::move(svg).finish(title, width + kMargin, y);
  }

 private:
  static constexpr size_t kMostCharacters = 110;
};

ArrayView view_of(const DrawnLayout& layout, const LayoutPicture& picture, const Shades& shades) {
  return {.layout = layout,
          .color = [&layout, coloring = picture.coloring,
                    shades](int64_t offset) { return color_of(layout, coloring, shades, offset); },
          .path = picture.path,
          .indices = picture.indices,
          .chosen = picture.chosen};
}

bool is_large(const DrawnLayout& layout) {
  return element_count(layout.padded).value_or(INT64_MAX) > kMostElements;
}

// The box that is enlarged: an outermost tile, or a part of the array. It has the chosen element.
ArrayBox drawn_box(const DrawnLayout& layout, const std::optional<Dims>& chosen) {
  ArrayBox box{Dims(layout.dims.size(), 0), layout.padded};
  if (!is_large(layout)) return box;
  for (size_t d = 0; d < box.sizes.size(); ++d) {
    int64_t size = layout.tiles.empty() ? 1 : layout.tiles.front()[d];
    if (layout.tiles.empty() && d + 2 >= box.sizes.size()) size = 32;
    box.first[d] = chosen ? (*chosen)[d] / size * size : 0;
    box.sizes[d] = std::min(size, layout.padded[d] - box.first[d]);
  }
  return box;
}

// From the first element of the box to the last.
Shades shades_of(const DrawnLayout& layout, const ArrayBox& box) {
  if (!is_large(layout)) return {0, std::max<int64_t>(layout.slots - 1, 0)};
  Dims last = box.first;
  for (size_t d = 0; d < last.size(); ++d)
    last[d] = std::min(box.first[d] + box.sizes[d], layout.dims[d]) - 1;
  const int64_t one = offset_of(layout, box.first), other = offset_of(layout, last);
  return {std::min(one, other), std::max(one, other)};
}

// The grid of tiles around the enlarged one, each with the offset of its first element.
std::pair<int64_t, int64_t> draw_tiles(const DrawnLayout& layout, const LayoutPicture& picture,
                                       const ArrayBox& enlarged, int64_t y, Svg& svg) {
  const Dims tile = drawn_box(layout, std::nullopt).sizes;
  std::vector<GridAxis> axes;
  for (size_t d = 0; d < tile.size(); ++d) {
    const int64_t first = enlarged.first[d];
    axes.push_back({{first}, tile[d], layout.dims[d]});
    if (d + 2 < tile.size()) continue;
    const int64_t along = (layout.dims[d] - 1) / tile[d] + 1;
    axes[d].firsts = shown(along, kMostTiles, first / tile[d]);
    for (int64_t& number : axes[d].firsts) number *= number == kGap ? 1 : tile[d];
  }
  const Grid grid(std::move(axes), std::ssize(absl::StrCat(layout.slots)), kMargin, y);
  grid.draw_numbers(svg);
  const Shades shades{0, std::max<int64_t>(layout.slots - 1, 0)};
  grid.for_each([&](const Dims& index, const Dims&, const Rect& place) {
    const int64_t offset = offset_of(layout, index);
    svg.cell(place, color_of(layout, picture.coloring, shades, offset), absl::StrCat(offset),
             picture.indices ? absl::StrCat("tile:", absl::StrJoin(index, ",")) : "");
    svg.outline(place, 1);
    if (index == enlarged.first) svg.ring(place);
  });
  return {grid.width(), grid.height()};
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
                                        const Shades& shades, int64_t y, Svg& svg) {
  const int64_t wide = row_of_memory(layout);
  const int64_t all = layout.slots / wide + (layout.slots % wide != 0 ? 1 : 0);
  const int64_t rows = std::min(all, kMostMemoryRows);
  const int64_t middle = picture.chosen ? offset_of(layout, *picture.chosen) / wide - rows / 2 : 0;
  const int64_t begin = std::clamp<int64_t>(middle, 0, all - rows) * wide;
  const auto indices = index_by_offset(layout, begin, std::min(rows * wide, layout.slots - begin));
  if (!indices) return {0, 0};
  Dims last = layout.dims;
  for (int64_t& size : last) --size;
  const int64_t cell = std::max<int64_t>(kLineHeight, text_width(absl::StrJoin(last, ",")) + 6);
  const int64_t left = text_width(absl::StrCat(begin + rows * wide)) + 8;
  for (int64_t i = 0; i < std::ssize(*indices); ++i) {
    const int64_t offset = begin + i;
    const Rect place{kMargin + left + i % wide * cell, y + i / wide * kLineHeight, cell,
                     kLineHeight};
    if (i % wide == 0) svg.text(place.x - 6, place.y + 15, absl::StrCat(offset), Svg::Anchor::kEnd);
    const std::optional<Dims>& index = (*indices)[i];
    if (index) {
      const std::string at = absl::StrJoin(*index, ",");
      svg.cell(place, color_of(layout, picture.coloring, shades, offset), at,
               picture.indices ? at : "");
      if (index == picture.chosen) svg.ring(place);
    } else {
      svg.padding(place);
    }
  }
  int64_t height = rows * kLineHeight;
  if (begin + rows * wide < layout.slots) {
    svg.text(kMargin, y + height + 16, absl::StrCat(".. to offset ", layout.slots - 1),
             Svg::Anchor::kStart);
    height += kLineHeight;
  }
  return {left + wide * cell, height};
}

// The chosen element, or the last one.
Dims example_of(const DrawnLayout& layout, const std::optional<Dims>& chosen) {
  if (chosen) return *chosen;
  Dims last = layout.dims;
  for (int64_t& size : last) --size;
  return last;
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
  LayoutPicture look = picture;
  if (look.chosen) {
    TRY(spec::offset_at(drawn.function, *look.chosen));  // the element is in the array
    look.chosen->resize(drawn.dims.size(), 0);           // a scalar is drawn as one element
  }
  const ArrayBox box = drawn_box(drawn, look.chosen);
  const Shades shades = shades_of(drawn, box);
  Page page;
  page.heading(drawn.text);
  if (!picture.formula.empty()) page.text(absl::StrCat("offset = ", picture.formula));
  if (is_large(drawn)) {
    const std::string parts = drawn.tiles.empty() ? "part" : "tile";
    page.heading(absl::StrCat(parts, "s of the array: the offset of the first element of each"));
    page.colors(drawn, picture.coloring, {0, std::max<int64_t>(drawn.slots - 1, 0)});
    page.take(draw_tiles(drawn, look, box, page.y, page.svg));
    page.heading(absl::StrCat("the ", parts, " at [", absl::StrJoin(box.first, ","),
                              "]: the offset of each element"));
  } else {
    page.heading("the array: the offset of each element");
  }
  page.colors(drawn, picture.coloring, shades);
  ArrayView view = view_of(drawn, look, shades);
  page.take(view.draw(box, kMargin, page.y, page.svg));
  page.heading("memory: the index of the element at each offset");
  page.take(draw_memory(drawn, look, shades, page.y, page.svg));
  const auto* swizzled = std::get_if<SwizzledLayout>(&layout);
  if (swizzled != nullptr && drawn.slots > 0) {
    page.heading(
        "the swizzle: the bits of an offset before and after it, and of the chosen element");
    page.take(draw_swizzle(*swizzled, drawn.slots, offset_of(drawn, example_of(drawn, look.chosen)),
                           kMargin, page.y, page.svg));
  }
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
  const ArrayBox box =
      drawn_box(is_large(first) && first.tiles.empty() ? second : first, std::nullopt);
  const Shades one_range = shades_of(first, box), two_range = shades_of(second, box);
  const Shades shades{std::min(one_range.first, two_range.first),
                      std::max(one_range.last, two_range.last)};
  Page page;
  page.heading(absl::StrCat(first.text, "  and  ", second.text));
  const int64_t line = page.y;
  page.y += kLineHeight;
  page.colors(first, picture.coloring, shades);
  ArrayView one = view_of(first, picture, shades), two = view_of(second, picture, shades);
  two.other = &first;
  one.most_columns = two.most_columns = 14;
  const auto [width, height] = one.draw(box, kMargin, page.y, page.svg);
  const int64_t x = kMargin + width + 3 * kMargin;
  const auto size = two.draw(box, x, page.y, page.svg);
  page.take({size.first, std::max(height, size.second)}, x);
  page.heading("memory: what moves from the left layout to the right one");
  page.take(draw_moves(first, second, one.color, two.first_marked, kMargin, page.y, page.svg));
  page.svg.text(kMargin, line + 10,
                absl::StrCat(two.marked, " of the ", two.drawn,
                             " elements drawn have another offset (dashed)"),
                Svg::Anchor::kStart);
  return std::move(page).finish(absl::StrCat("Layouts ", first.text, " and ", second.text));
}

}  // namespace tileproof::picture

// SPDX-License-Identifier: Apache-2.0
#include "picture/array_view.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/layout/swizzled_layout.h"

namespace tileproof::picture {
namespace {

constexpr int64_t kMostRows = 32;

bool inside(const Dims& index, const Dims& dims) {
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] >= dims[d]) return false;
  }
  return true;
}

// The squares of the box. Long rows and columns have gaps.
Grid grid_of(const ArrayView& view, const ArrayBox& box, int64_t x, int64_t y) {
  const size_t rank = box.sizes.size();
  std::vector<GridAxis> axes;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t chosen = view.chosen ? (*view.chosen)[d] - box.first[d] : 0;
    GridAxis axis{{}, 1, box.first[d] + box.sizes[d]};
    if (d + 2 < rank) {
      axis.firsts = shown(std::min(box.sizes[d], kMostSlices + 1), kMostSlices + 1);
    } else {
      axis.firsts = shown(box.sizes[d], d + 1 < rank ? kMostRows : view.most_columns, chosen);
    }
    for (int64_t& first : axis.firsts) first += first == kGap ? 0 : box.first[d];
    axes.push_back(std::move(axis));
  }
  return Grid(std::move(axes), std::ssize(absl::StrCat(view.layout.slots)), x, y);
}

// The outlines of the tiles of all levels, as far as they are drawn: a gap cuts a tile.
class Outlines {
 public:
  Outlines(const std::vector<Dims>& tiles, const Grid& grid) : tiles_(tiles), grid_(grid) {}

  void add(const Dims& index, const Rect& place) {
    const size_t rank = index.size();
    for (size_t level = 0; level < tiles_.size(); ++level) {
      const Dims& tile = tiles_[level];
      if (tile.back() == 1 && (rank < 2 || tile[rank - 2] == 1)) continue;  // the grid shows it
      Dims key = {static_cast<int64_t>(level)};
      for (size_t d = 0; d < rank; ++d) {
        if (d + 2 < rank) {
          key.push_back(index[d]);
        } else {
          key.insert(key.end(), {index[d] / tile[d], grid_.gaps_before(d, index[d])});
        }
      }
      Rect& whole = rects_.insert({key, place}).first->second;
      whole.width = place.x + place.width - whole.x;
      whole.height = place.y + place.height - whole.y;
    }
  }

  void draw(Svg& svg) const {
    for (const auto& [key, rect] : rects_) svg.outline(rect, key[0]);
  }

 private:
  const std::vector<Dims>& tiles_;
  const Grid& grid_;
  std::map<Dims, Rect> rects_;
};

constexpr int64_t kMostOffsets = 24;  // drawn of each memory
constexpr int64_t kBefore = 4;        // offsets before the first one that moves
constexpr int64_t kBetween = 66, kNumbers = 18;

constexpr int64_t kBetweenRows = 40;  // the rows before and after

bool has_bit(int64_t word, int64_t bit) { return (word >> bit & 1) != 0; }

}  // namespace

std::pair<int64_t, int64_t> ArrayView::draw(const ArrayBox& box, int64_t x, int64_t y, Svg& svg) {
  const Grid grid = grid_of(*this, box, x, y);
  Outlines outlines(layout.tiles, grid);
  std::map<Dims, std::map<int64_t, std::pair<int64_t, int64_t>>> paths;  // of each slice, by offset
  grid.draw_numbers(svg);
  grid.for_each([&](const Dims& index, const Dims&, const Rect& place) {
    outlines.add(index, place);
    if (!inside(index, layout.dims)) return svg.padding(place);
    const int64_t offset = offset_of(layout, index);
    svg.cell(place, color(offset), absl::StrCat(offset),
             indices ? absl::StrJoin(index, ",") : std::string());
    ++drawn;
    const Dims slice(index.begin(), index.end() - std::min<ptrdiff_t>(2, std::ssize(index)));
    paths[slice].insert({offset, {place.x + place.width / 2, place.y + place.height / 2}});
    if (chosen == index) svg.ring(place);
    const int64_t by_other = other != nullptr ? offset_of(*other, index) : offset;
    if (by_other == offset) return;
    if (marked++ == 0) first_marked = by_other;
    svg.mark(place);
  });
  outlines.draw(svg);
  for (const auto& [slice, points] : paths) {
    std::vector<std::pair<int64_t, int64_t>> line;
    for (const auto& [offset, point] : points) line.push_back(point);
    if (path) svg.path(line);
  }
  return {grid.width(), grid.height()};
}

std::pair<int64_t, int64_t> draw_moves(const DrawnLayout& left, const DrawnLayout& right,
                                       const std::function<Color(int64_t offset)>& color,
                                       int64_t begin, int64_t x, int64_t y, Svg& svg) {
  const int64_t slots = std::max(left.slots, right.slots);
  const int64_t shown = std::min(kMostOffsets, slots);
  const int64_t first = std::clamp<int64_t>(begin - kBefore, 0, slots - shown);
  const auto before = index_by_offset(left, first, shown);
  const auto after = index_by_offset(right, first, shown);
  if (!before || !after) return {0, 0};
  Dims last = left.dims;
  for (int64_t& size : last) --size;
  const int64_t cell = std::max<int64_t>(28, text_width(absl::StrJoin(last, ",")) + 6);
  const int64_t margin = text_width("right ");
  const auto place = [&](int64_t i, int64_t top) {
    return Rect{x + margin + i * cell, top, cell, kLineHeight};
  };
  const int64_t upper = y + kNumbers, lower = upper + kLineHeight + kBetween;
  svg.text(x, upper + 15, "left", Svg::Anchor::kStart);
  svg.text(x, lower + 15, "right", Svg::Anchor::kStart);
  for (int64_t i = 0; i < shown; ++i) {
    svg.text(place(i, 0).x + cell / 2, upper - 5, absl::StrCat(first + i), Svg::Anchor::kMiddle);
    const auto draw = [&](const std::optional<Dims>& index, int64_t top) {
      if (!index) return svg.padding(place(i, top));
      svg.cell(place(i, top), color(offset_of(left, *index)), absl::StrJoin(*index, ","));
    };
    draw((*before)[i], upper);
    draw((*after)[i], lower);
  }
  for (int64_t i = 0; i < shown; ++i) {
    const std::optional<Dims>& index = (*before)[i];
    if (!index) continue;
    const int64_t to = offset_of(right, *index) - first;
    if (to == i || to < 0 || to >= shown) continue;
    const Rect from_place = place(i, upper), to_place = place(to, lower);
    svg.line(from_place.x + cell / 2, upper + kLineHeight, to_place.x + cell / 2, lower);
  }
  int64_t bottom = lower + kLineHeight;
  if (first + shown < slots) {
    bottom += kLineHeight;
    svg.text(x, bottom - 4, absl::StrCat(".. to offset ", slots - 1), Svg::Anchor::kStart);
  }
  return {margin + shown * cell, bottom - y};
}

std::pair<int64_t, int64_t> draw_swizzle(const SwizzledLayout& layout, int64_t slots,
                                         int64_t example, int64_t x, int64_t y, Svg& svg) {
  const int64_t bits = std::max<int64_t>(std::bit_width(static_cast<uint64_t>(slots - 1)), 1);
  std::vector<std::vector<std::string>> sums(bits);  // of each bit after the swizzle
  std::vector<int64_t> color(bits, -1);              // the bit that is xored
  std::vector<std::pair<int64_t, int64_t>> lines;
  for (int64_t from = bits - 1; from >= 0; --from) {
    const int64_t moved = spec::swizzled_element<int64_t>(layout, int64_t{1} << from);
    for (int64_t to = 0; to < bits; ++to) {
      if (!has_bit(moved, to)) continue;
      sums[to].insert(sums[to].begin(), absl::StrCat("b", from));
      if (to == from) continue;
      color[from] = color[to] = from;
      lines.push_back({from, to});
    }
  }
  int64_t cell = kLineHeight;
  for (const auto& sum : sums) cell = std::max(cell, text_width(absl::StrJoin(sum, "^")) + 8);
  const int64_t before = spec::swizzled_element<int64_t>(layout, example);  // its own inverse
  const int64_t left = text_width("before ") + 1, value = left + bits * cell + kLineHeight;
  const int64_t digits = text_width(absl::StrCat(std::max(before, example), " = "));
  const auto draw_row = [&](int64_t top, absl::string_view name, int64_t number, bool is_after) {
    svg.text(x, top + 15, name, Svg::Anchor::kStart);
    svg.text(x + value, top + 15, absl::StrCat(number, " ="), Svg::Anchor::kStart);
    for (int64_t bit = 0; bit < bits; ++bit) {
      const int64_t at = bits - 1 - bit;
      const Color shade = color[bit] < 0 ? Color{} : in_cycle(color[bit]);
      svg.cell({x + left + at * cell, top, cell, kLineHeight}, shade,
               is_after ? absl::StrJoin(sums[bit], "^") : absl::StrCat("b", bit));
      svg.cell({x + value + digits + at * kLineHeight, top, kLineHeight, kLineHeight}, shade,
               has_bit(number, bit) ? "1" : "0");
    }
  };
  const int64_t lower = y + kLineHeight + kBetweenRows;
  draw_row(y, "before", before, false);
  draw_row(lower, "after", example, true);
  for (const auto& [from, to] : lines) {
    const auto middle = [&](int64_t bit) { return x + left + (bits - 1 - bit) * cell + cell / 2; };
    svg.line(middle(from), y + kLineHeight, middle(to), lower);
  }
  return {value + digits + bits * kLineHeight, 2 * kLineHeight + kBetweenRows};
}

}  // namespace tileproof::picture

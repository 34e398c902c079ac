// SPDX-License-Identifier: Apache-2.0
#include "picture/moves_view.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof::picture {
namespace {

constexpr int64_t kMostOffsets = 24;  // drawn of each memory
constexpr int64_t kBefore = 4;        // offsets before the first one that moves
constexpr int64_t kBetween = 66, kNumbers = 18;

}  // namespace

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

}  // namespace tileproof::picture

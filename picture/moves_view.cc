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
constexpr int64_t kBetween = 66, kNumbers = 18;

}  // namespace

std::pair<int64_t, int64_t> draw_moves(const DrawnLayout& left, const DrawnLayout& right,
                                       const std::function<Color(int64_t offset)>& color, int64_t x,
                                       int64_t y, Svg& svg) {
  const int64_t shown = std::min(kMostOffsets, std::max(left.slots, right.slots));
  const auto before = index_by_offset(left, shown), after = index_by_offset(right, shown);
  if (!before || !after) return {0, 0};
  Dims last = left.dims;
  for (int64_t& size : last) --size;
  const int64_t cell = std::max<int64_t>(28, text_width(absl::StrJoin(last, ",")) + 6);
  const int64_t margin = text_width("right ");
  const auto place = [&](int64_t offset, int64_t top) {
    return Rect{x + margin + offset * cell, top, cell, kLineHeight};
  };
  const int64_t upper = y + kNumbers, lower = upper + kLineHeight + kBetween;
  svg.text(x, upper + 15, "left", Svg::Anchor::kStart);
  svg.text(x, lower + 15, "right", Svg::Anchor::kStart);
  for (int64_t offset = 0; offset < shown; ++offset) {
    svg.text(place(offset, 0).x + cell / 2, upper - 5, absl::StrCat(offset), Svg::Anchor::kMiddle);
    const auto draw = [&](const std::optional<Dims>& index, int64_t top) {
      if (!index) return svg.padding(place(offset, top));
      svg.cell(place(offset, top), color(offset_of(left, *index)), absl::StrJoin(*index, ","));
    };
    draw((*before)[offset], upper);
    draw((*after)[offset], lower);
  }
  for (int64_t offset = 0; offset < shown; ++offset) {
    const std::optional<Dims>& index = (*before)[offset];
    if (!index) continue;
    const int64_t to = offset_of(right, *index);
    if (to == offset || to < 0 || to >= shown) continue;
    const Rect from_place = place(offset, upper), to_place = place(to, lower);
    svg.line(from_place.x + cell / 2, upper + kLineHeight, to_place.x + cell / 2, lower);
  }
  int64_t bottom = lower + kLineHeight;
  const int64_t slots = std::max(left.slots, right.slots);
  if (shown < slots) {
    bottom += kLineHeight;
    svg.text(x, bottom - 4, absl::StrCat(".. to offset ", slots - 1), Svg::Anchor::kStart);
  }
  return {margin + shown * cell, bottom - y};
}

}  // namespace tileproof::picture

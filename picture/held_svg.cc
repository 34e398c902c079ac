// SPDX-License-Identifier: Apache-2.0
#include "picture/held_svg.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "picture/svg.h"

namespace tileproof::picture {

namespace {

constexpr int64_t kWidestRow = 32;     // of an array of one dimension
constexpr int64_t kWidestPage = 1100;  // in pixels: a print of it can be read

int64_t widest(const std::vector<HeldCell>& cells) {
  int64_t width = kLineHeight;
  for (const HeldCell& cell : cells) {
    for (const absl::string_view line : absl::StrSplit(cell.label, '\n'))
      width = std::max(width, text_width(line) + 8);
  }
  return width;
}

}  // namespace

std::string held_svg(const std::string& title, const std::string& legend, const Dims& dims,
                     const std::vector<HeldCell>& given) {
  std::vector<HeldCell> cells = given;
  const int64_t elements = std::ssize(cells);
  const bool is_row = dims.size() == 1;
  const int64_t columns = is_row ? std::min(elements, kWidestRow) : dims[1];
  int64_t height = kLineHeight;
  if (columns * widest(cells) > kWidestPage) {
    for (HeldCell& cell : cells) absl::StrReplaceAll({{":V", "\nV"}, {" ", "\n"}}, &cell.label);
    for (const HeldCell& cell : cells)
      height = std::max<int64_t>(height, 8 + 14 * (1 + std::ranges::count(cell.label, '\n')));
  }
  const int64_t width = widest(cells);
  const int64_t rows = (elements + columns - 1) / columns, step = is_row ? columns : 1;
  const int64_t left = kMargin + text_width(absl::StrCat(rows * step)) + 6;
  const int64_t top = kMargin + 3 * kLineHeight;
  Svg svg;
  svg.heading(kMargin, kMargin + 13, title);
  svg.text(kMargin, kMargin + kLineHeight + 13, legend, Svg::Anchor::kStart);
  for (int64_t j = 0; j < columns; ++j)
    svg.text(left + j * width + width / 2, top - 6, absl::StrCat(j), Svg::Anchor::kMiddle);
  for (int64_t i = 0; i < rows; ++i)
    svg.text(left - 6, top + i * height + height / 2 + 4, absl::StrCat(i * step),
             Svg::Anchor::kEnd);
  for (int64_t i = 0; i < elements; ++i) {
    const Rect rect{left + i % columns * width, top + i / columns * height, width, height};
    if (cells[i].label.empty()) {
      svg.padding(rect);
    } else {
      svg.cell(rect, cells[i].color, cells[i].label);
    }
  }
  const int64_t page = std::max<int64_t>(
      {left + columns * width, kMargin + 8 * std::ssize(title), kMargin + text_width(legend)});
  return std::move(svg).finish(title, page + kMargin, top + rows * height + kMargin);
}

}  // namespace tileproof::picture

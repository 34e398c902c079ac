// SPDX-License-Identifier: Apache-2.0
#include "picture/held_svg.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "picture/svg.h"

namespace tileproof::picture {

namespace {
constexpr int64_t kWidestRow = 32;  // of an array of one dimension
}  // namespace

std::string held_svg(const std::string& title, const Dims& dims,
                     const std::vector<HeldCell>& cells) {
  const int64_t elements = std::ssize(cells);
  int64_t width = kLineHeight;
  for (const HeldCell& cell : cells) width = std::max(width, text_width(cell.label) + 8);
  const bool is_row = dims.size() == 1;
  const int64_t columns = is_row ? std::min(elements, kWidestRow) : dims[1];
  const int64_t rows = (elements + columns - 1) / columns, step = is_row ? columns : 1;
  const int64_t left = kMargin + text_width(absl::StrCat(rows * step)) + 6;
  const int64_t top = kMargin + 2 * kLineHeight;
  Svg svg;
  svg.heading(kMargin, kMargin + 13, title);
  for (int64_t j = 0; j < columns; ++j)
    svg.text(left + j * width + width / 2, top - 6, absl::StrCat(j), Svg::Anchor::kMiddle);
  for (int64_t i = 0; i < rows; ++i)
    svg.text(left - 6, top + (i + 1) * kLineHeight - 7, absl::StrCat(i * step), Svg::Anchor::kEnd);
  for (int64_t i = 0; i < elements; ++i) {
    const Rect rect{left + i % columns * width, top + i / columns * kLineHeight, width,
                    kLineHeight};
    if (cells[i].label.empty()) {
      svg.padding(rect);
    } else {
      svg.cell(rect, ramp(cells[i].shade), cells[i].label);
    }
  }
  const int64_t page = std::max(left + columns * width, kMargin + 8 * std::ssize(title));
  return std::move(svg).finish(title, page + kMargin, top + rows * kLineHeight + kMargin);
}

}  // namespace tileproof::picture

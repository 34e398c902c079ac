// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "picture/layout_svg.h"
#include "picture/svg.h"
#include "spec/lang/base/try.h"
#include "spec/layout/thread_layout.h"

namespace tileproof::picture {
namespace {

constexpr int64_t kMostDrawnElements = 4096, kMostDrawnPlaces = 1 << 16;

// The places of each element, row by row.
absl::StatusOr<std::vector<std::vector<Place>>> places_of(const ThreadLayout& layout,
                                                          const Place& sizes, int64_t elements) {
  std::vector<std::vector<Place>> places(elements);
  const auto& [registers, lanes, warps, blocks] = sizes;
  for (int64_t i = 0; i < registers * lanes * warps * blocks; ++i) {
    const Place place = {i % registers, i / registers % lanes, i / registers / lanes % warps,
                         i / registers / lanes / warps};
    const Dims index = TRY(spec::held_at(layout, place));
    const int64_t row = index.size() == 2 ? index[0] * layout.dims[1] : 0;
    places[row + index.back()].push_back(place);
  }
  return places;
}

int64_t thread_of(const Place& place, const Place& sizes) { return place[2] * sizes[1] + place[1]; }

std::string label_of(const std::vector<Place>& places, const Place& sizes) {
  const Place& first = places[0];
  std::string label = absl::StrCat(sizes[3] > 1 ? absl::StrCat("B", first[3], ":") : "", "T",
                                   thread_of(first, sizes), ":V", first[0]);
  if (places.size() > 1) absl::StrAppend(&label, " +", places.size() - 1);
  return label;
}

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

absl::StatusOr<std::string> threads_svg(const ThreadLayout& layout) {
  const Place sizes = TRY(spec::place_sizes(layout));
  int64_t elements = 1, places = 1;
  for (const int64_t size : layout.dims) elements = std::min(elements * size, int64_t{1} << 31);
  for (const int64_t size : sizes) {
    places = size > kMostDrawnPlaces ? size : places * size;
    if (places > kMostDrawnPlaces) break;
  }
  if (layout.dims.empty() || layout.dims.size() > 2 || elements > kMostDrawnElements ||
      places > kMostDrawnPlaces) {
    return absl::InvalidArgumentError(
        "expected a layout of threads of one or two dimensions, at most 4,096 elements and 65,536 "
        "places to draw");
  }
  const auto held = TRY(places_of(layout, sizes, elements));
  std::vector<HeldCell> cells;
  for (const std::vector<Place>& holders : held) {
    cells.emplace_back();
    if (holders.empty()) continue;
    cells.back() = {label_of(holders, sizes), in_cycle(thread_of(holders[0], sizes))};
  }
  return held_svg(
      layout.text,
      "T9:V2: register 2 of thread 9 holds it, and neighbors have other colors; +1: one "
      "more place does; hatched: none",
      layout.dims, cells);
}

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

// SPDX-License-Identifier: Apache-2.0
#include "picture/array_view.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

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

}  // namespace tileproof::picture

// SPDX-License-Identifier: Apache-2.0
#include "picture/array_view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "picture/grid.h"
#include "spec/lang/base/odometer.h"

namespace tileproof::picture {
namespace {

constexpr int64_t kMostRows = 32;

// Rows and columns of one slice: the positions in the box that are drawn.
struct Slice {
  std::vector<int64_t> rows, columns;
  int64_t cell = 0;  // width
  int64_t left = 0;  // width of the row numbers
  int64_t width() const { return left + std::ssize(columns) * cell; }
  int64_t height() const { return (std::ssize(rows) + 1) * kLineHeight; }
};

bool inside(const Dims& index, const Dims& dims) {
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] >= dims[d]) return false;
  }
  return true;
}

// Whether a tile boundary of this level is before this index of dimension d.
bool starts_tile(int64_t index, int64_t tile) { return index % tile == 0; }

class SliceDrawer {
 public:
  SliceDrawer(ArrayView& view, const ArrayBox& box, const Slice& slice, Dims leading, int64_t x,
              int64_t y, Svg& svg)
      : view_(view),
        box_(box),
        slice_(slice),
        leading_(std::move(leading)),
        x_(x),
        y_(y),
        svg_(svg) {}

  void draw() {
    draw_numbers();
    for (size_t r = 0; r < slice_.rows.size(); ++r) {
      for (size_t c = 0; c < slice_.columns.size(); ++c) draw_element(r, c);
    }
    draw_tiles();
    if (view_.path) draw_path();
  }

 private:
  bool is_matrix() const { return view_.layout.dims.size() >= 2; }

  Rect place(size_t r, size_t c) const {
    return {x_ + slice_.left + static_cast<int64_t>(c) * slice_.cell,
            y_ + (static_cast<int64_t>(r) + 1) * kLineHeight, slice_.cell, kLineHeight};
  }

  // The index of a row and column of the box. They are no gap.
  Dims index_of(int64_t row, int64_t column) const {
    Dims index = leading_;
    if (is_matrix()) index.push_back(box_.first[index.size()] + row);
    index.push_back(box_.first[index.size()] + column);
    return index;
  }

  void draw_numbers() {
    for (size_t c = 0; c < slice_.columns.size(); ++c) {
      const Rect at = place(0, c);
      const int64_t column = slice_.columns[c];
      svg_.text(at.x + slice_.cell / 2, at.y - 6,
                column == kGap ? ".." : absl::StrCat(box_.first.back() + column),
                Svg::Anchor::kMiddle);
    }
    if (!is_matrix()) return;
    for (size_t r = 0; r < slice_.rows.size(); ++r) {
      const int64_t row = slice_.rows[r];
      svg_.text(x_ + slice_.left - 6, place(r, 0).y + 15,
                row == kGap ? ".." : absl::StrCat(box_.first[box_.first.size() - 2] + row),
                Svg::Anchor::kEnd);
    }
  }

  void draw_element(size_t r, size_t c) {
    if (slice_.rows[r] == kGap || slice_.columns[c] == kGap) return;
    const Dims index = index_of(slice_.rows[r], slice_.columns[c]);
    if (!inside(index, view_.layout.dims)) return svg_.padding(place(r, c));
    const int64_t offset = offset_of(view_.layout, index);
    svg_.cell(place(r, c), view_.color(offset), absl::StrCat(offset),
              view_.indices ? absl::StrJoin(index, ",") : std::string());
    ++view_.drawn;
    by_offset_.push_back({offset, {r, c}});
    if (view_.chosen == index) svg_.ring(place(r, c));
    const int64_t other = view_.other != nullptr ? offset_of(*view_.other, index) : offset;
    if (other == offset) return;
    if (view_.marked++ == 0) view_.first_marked = other;
    svg_.mark(place(r, c));
  }

  // The first and last position of each tile along an axis, as far as they are drawn.
  static std::vector<std::pair<size_t, size_t>> spans(const std::vector<int64_t>& axis,
                                                      int64_t first, int64_t tile) {
    std::vector<std::pair<size_t, size_t>> spans;
    for (size_t i = 0; i < axis.size(); ++i) {
      if (axis[i] == kGap) continue;
      const bool follows = i > 0 && axis[i - 1] != kGap;
      if (follows && !starts_tile(first + axis[i], tile)) {
        spans.back().second = i;
      } else {
        spans.push_back({i, i});
      }
    }
    return spans;
  }

  void draw_tiles() {
    for (size_t level = 0; level < view_.layout.tiles.size(); ++level) {
      const Dims& tile = view_.layout.tiles[level];
      const size_t rank = tile.size();
      const int64_t tall = rank >= 2 ? tile[rank - 2] : 1;
      if (tall == 1 && tile.back() == 1) continue;  // the grid shows it
      const int64_t row = rank >= 2 ? box_.first[rank - 2] : 0;
      for (const auto& [top, bottom] : spans(slice_.rows, row, tall)) {
        for (const auto& [left, right] : spans(slice_.columns, box_.first.back(), tile.back())) {
          const Rect first = place(top, left), last = place(bottom, right);
          svg_.outline(
              {first.x, first.y, last.x + last.width - first.x, last.y + last.height - first.y},
              static_cast<int64_t>(level));
        }
      }
    }
  }

  void draw_path() {
    std::ranges::sort(by_offset_);
    std::vector<std::pair<int64_t, int64_t>> points;
    for (const auto& [offset, at] : by_offset_) {
      const Rect rect = place(at.first, at.second);
      points.push_back({rect.x + rect.width / 2, rect.y + rect.height / 2});
    }
    svg_.path(points);
  }

  ArrayView& view_;
  const ArrayBox& box_;
  const Slice& slice_;
  Dims leading_;
  int64_t x_, y_;
  Svg& svg_;
  std::vector<std::pair<int64_t, std::pair<size_t, size_t>>> by_offset_;
};

}  // namespace

std::vector<int64_t> shown(int64_t size, int64_t most, int64_t chosen) {
  std::vector<int64_t> numbers;
  const auto add = [&](int64_t first, int64_t end) {
    for (int64_t i = first; i < end; ++i) numbers.push_back(i);
  };
  if (size <= most || chosen < most - 3) {
    add(0, size <= most ? size : most - 3);
  } else {
    const int64_t window = most - 6, first = std::min(chosen - window / 2, size - 2 - window);
    add(0, 2);
    numbers.push_back(kGap);
    add(first, first + window);
  }
  if (numbers.back() < size - 1) {
    if (numbers.back() < size - 3) numbers.push_back(kGap);
    add(std::max(numbers.back() + 1, size - 2), size);
  }
  return numbers;
}

std::pair<int64_t, int64_t> ArrayView::draw(const ArrayBox& box, int64_t x, int64_t y, Svg& svg) {
  const size_t rank = box.sizes.size();
  const int64_t rows = rank >= 2 ? box.sizes[rank - 2] : 1;
  const auto chosen_at = [&](size_t d) { return chosen ? (*chosen)[d] - box.first[d] : 0; };
  Slice slice{shown(rows, kMostRows, rank >= 2 ? chosen_at(rank - 2) : 0),
              shown(box.sizes.back(), most_columns, chosen_at(rank - 1))};
  slice.cell = std::max<int64_t>(kLineHeight, text_width(absl::StrCat(layout.slots)) + 6);
  if (rank >= 2) slice.left = text_width(absl::StrCat(box.first[rank - 2] + rows)) + 12;
  const Dims leading(box.sizes.begin(),
                     box.sizes.end() - std::min<ptrdiff_t>(2, std::ssize(box.sizes)));
  const int64_t heading = leading.empty() ? 0 : kLineHeight;
  Dims step(leading.size(), 0);
  const int64_t in_a_row = slices_in_a_row(slice.width());
  int64_t count = 0, width = 0, height = 0;
  do {
    if (count == kMostSlices) {
      svg.text(x, y + height + kLineHeight,
               absl::StrCat(".. of [", absl::StrJoin(leading, ","), "] slices"),
               Svg::Anchor::kStart);
      height += kLineHeight + kSliceMargin;
      break;
    }
    Dims at = step;
    for (size_t d = 0; d < at.size(); ++d) at[d] += box.first[d];
    const int64_t left = x + count % in_a_row * (slice.width() + kSliceMargin);
    const int64_t top = y + count / in_a_row * (slice.height() + heading + kSliceMargin);
    if (heading > 0)
      svg.text(left, top + 14, absl::StrCat("[", absl::StrJoin(at, ","), ",:,:]"),
               Svg::Anchor::kStart);
    SliceDrawer(*this, box, slice, at, left, top + heading, svg).draw();
    width = std::max(width, left - x + slice.width());
    height = top - y + heading + slice.height();
    ++count;
  } while (next_index(leading, step));
  return {width, height};
}

}  // namespace tileproof::picture

// SPDX-License-Identifier: Apache-2.0
#include "picture/grid.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/odometer.h"

namespace tileproof::picture {
namespace {

int64_t ceiling(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// Blocks along each dimension, so that at most kMostSquares are along a row or a column.
std::vector<GridAxis> blocks(const Dims& dims) {
  std::vector<GridAxis> axes;
  for (size_t d = 0; d < dims.size(); ++d) {
    GridAxis axis{{}, 1, dims[d]};
    if (d + 2 >= dims.size()) axis.block = std::max<int64_t>(1, ceiling(dims[d], kMostSquares));
    // No more slices than these are drawn.
    const int64_t most = d + 2 >= dims.size() ? kMostSquares : kMostSlices + 1;
    for (int64_t i = 0; i < std::min(ceiling(dims[d], axis.block), most); ++i)
      axis.firsts.push_back(i * axis.block);
    axes.push_back(std::move(axis));
  }
  if (axes.empty()) axes.emplace_back();  // a scalar is drawn as one element
  return axes;
}

}  // namespace

int64_t slices_in_a_row(int64_t width) {
  constexpr int64_t kMostSlicesInARow = 4;
  constexpr int64_t kMostWidth = 1500;
  return std::clamp<int64_t>((kMostWidth + kSliceMargin) / (width + kSliceMargin), 1,
                             kMostSlicesInARow);
}

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

Grid::Grid(const Dims& dims, int64_t label, int64_t x, int64_t y)
    : Grid(blocks(dims), label, x, y) {}

Grid::Grid(std::vector<GridAxis> axes, int64_t label, int64_t x, int64_t y)
    : axes_(std::move(axes)), x_(x), y_(y) {
  const size_t rank = axes_.size();
  for (const int64_t size : slices())
    slices_ = std::min(slices_ * std::min(size, kMostSlices + 1), kMostSlices + 1);
  const bool cut = slices_ > kMostSlices;
  slices_ = std::min(slices_, kMostSlices);
  cell_ = std::max<int64_t>(kLineHeight, 7 * label + 8);
  left_ = rank >= 2 ? text_width(absl::StrCat(axes_[rank - 2].end)) + 12 : 0;
  heading_ = rank > 2 ? kLineHeight : 0;
  const int64_t wide = left_ + count(rank - 1) * cell_;
  in_a_row_ = slices_in_a_row(wide);
  const int64_t tall = heading_ + (rows() + 1) * kLineHeight + kSliceMargin;
  width_ = std::min(slices_, in_a_row_) * (wide + kSliceMargin) - kSliceMargin;
  height_ = ceiling(slices_, in_a_row_) * tall - kSliceMargin + (cut ? kLineHeight : 0);
}

bool Grid::has_blocks() const {
  return std::ranges::any_of(axes_, [](const GridAxis& axis) { return axis.block > 1; });
}

std::string Grid::block_text() const {
  return absl::StrJoin(
      axes_, "x", [](std::string* out, const GridAxis& axis) { absl::StrAppend(out, axis.block); });
}

Dims Grid::slices() const {
  Dims numbers;
  for (size_t d = 0; d + 2 < axes_.size(); ++d) numbers.push_back(count(d));
  return numbers;
}

Rect Grid::square(int64_t slice, int64_t row, int64_t column) const {
  const int64_t wide = left_ + count(axes_.size() - 1) * cell_ + kSliceMargin;
  const int64_t tall = heading_ + (rows() + 1) * kLineHeight + kSliceMargin;
  return {x_ + slice % in_a_row_ * wide + left_ + column * cell_,
          y_ + slice / in_a_row_ * tall + heading_ + (row + 1) * kLineHeight, cell_, kLineHeight};
}

std::optional<Rect> Grid::place(const Dims& index) const {
  const Dims whole = index.empty() ? Dims{0} : index;
  const size_t rank = axes_.size();
  Dims number(rank, 0);
  int64_t slice = 0;
  for (size_t d = 0; d < rank; ++d) {
    const std::vector<int64_t>& firsts = axes_[d].firsts;
    const auto at = std::ranges::find_if(firsts, [&](int64_t first) {
      return first != kGap && first <= whole[d] && whole[d] < first + axes_[d].block;
    });
    if (at == firsts.end()) return std::nullopt;
    number[d] = at - firsts.begin();
    if (d + 2 >= rank) continue;
    slice = slice * count(d) + number[d];
    if (slice >= slices_) return std::nullopt;
  }
  return square(slice, rank >= 2 ? number[rank - 2] : 0, number.back());
}

void Grid::for_each(
    absl::FunctionRef<void(const Dims& first, const Dims& sizes, const Rect& place)> visit) const {
  const Dims leading = slices();
  const size_t rank = axes_.size();
  if (slices_ == 0) return;
  Dims step(leading.size(), 0);
  int64_t slice = 0;
  do {
    for (int64_t row = 0; row < rows(); ++row) {
      for (int64_t column = 0; column < count(rank - 1); ++column) {
        Dims number = step;
        if (rank >= 2) number.push_back(row);
        number.push_back(column);
        Dims first, sizes;
        for (size_t d = 0; d < rank; ++d) {
          first.push_back(axes_[d].firsts[static_cast<size_t>(number[d])]);
          sizes.push_back(std::min(axes_[d].block, axes_[d].end - first[d]));
        }
        if (std::ranges::find(first, kGap) == first.end())
          visit(first, sizes, square(slice, row, column));
      }
    }
  } while (++slice < slices_ && next_index(leading, step));
}

int64_t Grid::gaps_before(size_t dimension, int64_t index) const {
  const std::vector<int64_t>& firsts = axes_[dimension].firsts;
  return std::count(firsts.begin(), std::ranges::find(firsts, index), kGap);
}

void Grid::draw_numbers(Svg& svg) const {
  const auto text_of = [](int64_t first) { return first == kGap ? ".." : absl::StrCat(first); };
  const Dims leading = slices();
  const size_t rank = axes_.size();
  if (slices_ == 0) return;
  Dims step(leading.size(), 0);
  int64_t slice = 0;
  do {
    const Rect first = square(slice, 0, 0);
    if (heading_ > 0) {
      Dims at;
      for (size_t d = 0; d < step.size(); ++d)
        at.push_back(axes_[d].firsts[static_cast<size_t>(step[d])]);
      svg.text(first.x - left_, first.y - kLineHeight - 8,
               absl::StrCat("[", absl::StrJoin(at, ","), ",:,:]"), Svg::Anchor::kStart);
    }
    const GridAxis& columns = axes_.back();
    const int64_t every = ceiling(text_width(absl::StrCat(columns.end)) + 4, cell_);
    for (int64_t column = 0; column < count(rank - 1); column += every) {
      svg.text(first.x + column * cell_ + cell_ / 2, first.y - 6,
               text_of(columns.firsts[static_cast<size_t>(column)]), Svg::Anchor::kMiddle);
    }
    for (int64_t row = 0; rank >= 2 && row < rows(); ++row) {
      svg.text(first.x - 6, first.y + row * kLineHeight + 15,
               text_of(axes_[rank - 2].firsts[static_cast<size_t>(row)]), Svg::Anchor::kEnd);
    }
  } while (++slice < slices_ && next_index(leading, step));
  int64_t all = 1;
  for (size_t d = 0; d + 2 < rank; ++d) all = std::min(all * count(d), kMostSlices + 1);
  if (all <= slices_) return;
  svg.text(x_, y_ + height_ - 6,
           absl::StrCat(".. of [",
                        absl::StrJoin(axes_.begin(), axes_.end() - 2, ",",
                                      [](std::string* out, const GridAxis& axis) {
                                        absl::StrAppend(out, axis.end);
                                      }),
                        "] slices"),
           Svg::Anchor::kStart);
}

}  // namespace tileproof::picture

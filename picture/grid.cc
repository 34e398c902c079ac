// SPDX-License-Identifier: Apache-2.0
#include "picture/grid.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/odometer.h"

namespace tileproof::picture {
namespace {

int64_t ceiling(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

Dims leading_of(const Dims& dims) {
  return Dims(dims.begin(), dims.end() - std::min<ptrdiff_t>(2, std::ssize(dims)));
}

}  // namespace

int64_t slices_in_a_row(int64_t width) {
  constexpr int64_t kMostSlicesInARow = 4;
  constexpr int64_t kMostWidth = 1500;
  return std::clamp<int64_t>((kMostWidth + kSliceMargin) / (width + kSliceMargin), 1,
                             kMostSlicesInARow);
}

Grid::Grid(const Dims& dims, int64_t label, int64_t x, int64_t y)
    : dims_(dims), block_(dims.size(), 1), x_(x), y_(y) {
  if (dims_.empty()) {
    dims_ = block_ = {1};  // a scalar is drawn as one element
  }
  const size_t rank = dims_.size();
  for (size_t d = rank >= 2 ? rank - 2 : 0; d < rank; ++d) {
    block_[d] = std::max<int64_t>(1, ceiling(dims_[d], kMostSquares));
  }
  for (size_t d = 0; d < rank; ++d) numbers_.push_back(ceiling(dims_[d], block_[d]));
  for (const int64_t size : leading_of(numbers_)) {
    slices_ = std::min(slices_ * std::min(size, kMostSlices + 1), kMostSlices + 1);
  }
  const bool cut = slices_ > kMostSlices;
  slices_ = std::min(slices_, kMostSlices);
  cell_ = std::max<int64_t>(kLineHeight, 7 * label + 8);
  left_ = rank >= 2 ? text_width(absl::StrCat(dims_[rank - 2])) + 12 : 0;
  heading_ = rank > 2 ? kLineHeight : 0;
  const int64_t wide = left_ + numbers_.back() * cell_;
  in_a_row_ = slices_in_a_row(wide);
  const int64_t rows = rank >= 2 ? numbers_[rank - 2] : 1;
  const int64_t tall = heading_ + (rows + 1) * kLineHeight + kSliceMargin;
  width_ = std::min(slices_, in_a_row_) * (wide + kSliceMargin) - kSliceMargin;
  height_ = ceiling(slices_, in_a_row_) * tall - kSliceMargin + (cut ? kLineHeight : 0);
}

bool Grid::has_blocks() const {
  return std::ranges::any_of(block_, [](int64_t size) { return size > 1; });
}

std::string Grid::block_text() const { return absl::StrJoin(block_, "x"); }

Rect Grid::square(const Dims& number) const {
  const Dims leading = leading_of(numbers_);
  int64_t slice = 0;
  for (size_t d = 0; d < leading.size(); ++d) slice = slice * leading[d] + number[d];
  const int64_t rows = numbers_.size() >= 2 ? numbers_[numbers_.size() - 2] : 1;
  const int64_t row = number.size() >= 2 ? number[number.size() - 2] : 0;
  return {x_ + slice % in_a_row_ * (left_ + numbers_.back() * cell_ + kSliceMargin) + left_ +
              number.back() * cell_,
          y_ + slice / in_a_row_ * (heading_ + (rows + 1) * kLineHeight + kSliceMargin) + heading_ +
              (row + 1) * kLineHeight,
          cell_, kLineHeight};
}

std::optional<Rect> Grid::place(const Dims& index) const {
  Dims number = index.empty() ? Dims{0} : index;
  int64_t slice = 0;
  for (size_t d = 0; d < number.size(); ++d) {
    number[d] /= block_[d];
    if (d + 2 >= number.size()) continue;
    if (slice > kMostSlices) return std::nullopt;
    slice = slice * std::min(numbers_[d], kMostSlices + 1) + number[d];
  }
  if (slice >= slices_) return std::nullopt;
  return square(number);
}

void Grid::for_each(
    absl::FunctionRef<void(const Dims& first, const Dims& sizes, const Rect& place)> visit) const {
  Dims leading = leading_of(numbers_), step(leading.size(), 0);
  int64_t slice = 0;
  do {
    if (slice++ == slices_) break;
    const int64_t rows = numbers_.size() >= 2 ? numbers_[numbers_.size() - 2] : 1;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < numbers_.back(); ++column) {
        Dims number = step;
        if (numbers_.size() >= 2) number.push_back(row);
        number.push_back(column);
        Dims first, sizes;
        for (size_t d = 0; d < number.size(); ++d) {
          first.push_back(number[d] * block_[d]);
          sizes.push_back(std::min(block_[d], dims_[d] - first[d]));
        }
        visit(first, sizes, square(number));
      }
    }
  } while (next_index(leading, step));
}

void Grid::draw_numbers(Svg& svg) const {
  const Dims leading = leading_of(numbers_);
  Dims step(leading.size(), 0);
  const size_t rank = numbers_.size();
  int64_t slice = 0;
  do {
    if (slice++ == slices_) {
      svg.text(x_, y_ + height_ - 6,
               absl::StrCat(".. of [", absl::StrJoin(leading, ","), "] slices"),
               Svg::Anchor::kStart);
      break;
    }
    Dims number = step;
    number.resize(rank, 0);
    const Rect first = square(number);
    if (heading_ > 0) {
      svg.text(first.x - left_, first.y - kLineHeight - 8,
               absl::StrCat("[", absl::StrJoin(step, ","), ",:,:]"), Svg::Anchor::kStart);
    }
    const int64_t wide = text_width(absl::StrCat(dims_.back())) + 4;
    const int64_t every = ceiling(wide, cell_);
    for (int64_t column = 0; column < numbers_.back(); column += every) {
      svg.text(first.x + column * cell_ + cell_ / 2, first.y - 6,
               absl::StrCat(column * block_.back()), Svg::Anchor::kMiddle);
    }
    for (int64_t row = 0; rank >= 2 && row < numbers_[rank - 2]; ++row) {
      svg.text(first.x - 6, first.y + row * kLineHeight + 15, absl::StrCat(row * block_[rank - 2]),
               Svg::Anchor::kEnd);
    }
  } while (next_index(leading, step));
}

}  // namespace tileproof::picture

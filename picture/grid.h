// SPDX-License-Identifier: Apache-2.0
// Where the elements of an array are drawn: rows and columns of its last two dimensions, a slice for
// each index of the others.
//
// An array that is too large for one square an element has one for each block:
//
//     [4,6]         blocks of {1,1}: a square for each element
//     [128,256]     blocks of {4,8}: 32 rows and 32 columns of squares
//
// Beyond kMostSlices slices the rest is left out, and said so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "picture/svg.h"
#include "spec/lang/base/dims.h"

namespace tileproof::picture {

inline constexpr int64_t kMostSquares = 32;  // along a row or a column
inline constexpr int64_t kMostSlices = 12;
inline constexpr int64_t kSliceMargin = 20;  // between slices

// How many slices of this width are drawn beside each other: at most 4, and no wider than a page.
int64_t slices_in_a_row(int64_t width);

// The numbers of an axis that are drawn: all, or the first and the last with a gap (kGap) between.
// The chosen one is among them.
//
//     shown(5, 32)           0 1 2 3 4
//     shown(1000, 8)         0 1 2 3 4 kGap 998 999
//     shown(1000, 8, 500)    0 1 kGap 499 500 kGap 998 999
inline constexpr int64_t kGap = -1;
std::vector<int64_t> shown(int64_t size, int64_t most, int64_t chosen = 0);

// The squares along one dimension.
struct GridAxis {
  std::vector<int64_t> firsts = {0};  // the first index of each square, or kGap
  int64_t block = 1;                  // elements of a square
  int64_t end = 1;                    // of the indices
};

class Grid {
 public:
  // Squares of blocks. `label` is the widest text of a square, in characters.
  Grid(const Dims& dims, int64_t label, int64_t x, int64_t y);
  // An axis for each dimension, at least one. Those before the last two have no gaps.
  Grid(std::vector<GridAxis> axes, int64_t label, int64_t x, int64_t y);

  int64_t width() const { return width_; }
  int64_t height() const { return height_; }
  bool has_blocks() const;
  // The sizes of a block, for readers: "4x8".
  std::string block_text() const;

  // The square of an element; nothing if it is in a gap, or its slice is left out.
  std::optional<Rect> place(const Dims& index) const;

  // Calls `visit` for each square with its first index and the sizes of its block, cut at the ends
  // of the array.
  void for_each(
      absl::FunctionRef<void(const Dims& first, const Dims& sizes, const Rect& place)> visit) const;

  // How many gaps of a dimension are before an index.
  int64_t gaps_before(size_t dimension, int64_t index) const;

  // Numbers of rows and columns, and names of slices.
  void draw_numbers(Svg& svg) const;

 private:
  int64_t rows() const { return axes_.size() >= 2 ? count(axes_.size() - 2) : 1; }
  int64_t count(size_t dimension) const { return std::ssize(axes_[dimension].firsts); }
  // Of squares along the dimensions before the last two.
  Dims slices() const;
  Rect square(int64_t slice, int64_t row, int64_t column) const;

  std::vector<GridAxis> axes_;
  int64_t slices_ = 1, in_a_row_ = 1;
  int64_t cell_, left_, heading_;
  int64_t x_, y_, width_ = 0, height_ = 0;
};

}  // namespace tileproof::picture

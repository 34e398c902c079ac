// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/layout_picture.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/layout/edge_offsets.h"

namespace tileproof::cli {
namespace {

constexpr int64_t kMaxPositionsOfText = 1024;
constexpr int64_t kMaxColumns = 32;  // of a text picture

// An array of one or two dimensions as rows and columns.
struct Grid {
  int64_t rows = 1, columns = 1;
  bool is_matrix = false;

  explicit Grid(const std::vector<int64_t>& dims) : is_matrix(dims.size() == 2) {
    if (is_matrix) rows = dims[0];
    if (!dims.empty()) columns = dims.back();
  }
  std::vector<int64_t> index(int64_t row, int64_t column) const {
    return is_matrix ? std::vector{row, column} : std::vector{column};
  }
  // Row-major number of the element.
  int64_t number(const std::vector<int64_t>& index) const {
    return is_matrix ? index[0] * columns + index[1] : index[0];
  }
};

// The element at an offset, by its row-major number.
std::optional<int64_t> element_at(const impl::TiledLayout& layout, const Grid& grid,
                                  int64_t offset) {
  std::vector<int64_t> index(layout.logical().size());
  if (!layout.delinearize_unchecked(offset, absl::MakeSpan(index))) return std::nullopt;
  return grid.number(index);
}

// The length of a row of memory: the most minor physical dimension.
int64_t memory_row(const impl::TiledLayout& layout) {
  return layout.physical().empty() ? 1 : layout.physical().back();
}

std::string cell(std::optional<int64_t> value, int64_t width) {
  const std::string text = value ? absl::StrCat(*value) : ".";
  return absl::StrCat(std::string(std::max<int64_t>(0, width - std::ssize(text)), ' '), text);
}

}  // namespace

std::string part_of_offsets(const impl::TiledLayout& layout) {
  return absl::StrCat("too large to draw as text (--svg FILE draws it)\n",
                      edge_offsets(layout.logical(), [&](const std::vector<int64_t>& index) {
                        return layout.linearize_unchecked(index);
                      }));
}

std::string text_picture(const impl::TiledLayout& layout) {
  const size_t rank = layout.logical().size();
  const Grid grid(layout.logical());
  const int64_t wide = memory_row(layout);
  if (rank == 0 || rank > 2 || layout.elements() == 0 || layout.elements() > kMaxPositionsOfText ||
      grid.columns > kMaxColumns || wide > 4 * kMaxColumns) {
    return "";
  }
  const int64_t width = std::ssize(absl::StrCat(layout.elements())) + 1;
  std::string text = "offset of each element\n";
  for (int64_t row = 0; row < grid.rows; ++row) {
    for (int64_t column = 0; column < grid.columns; ++column) {
      text += cell(layout.linearize_unchecked(grid.index(row, column)), width);
    }
    text += "\n";
  }
  text += "element at each offset, '.' is padding\n";
  const int64_t line = std::max(wide, std::min(wide * 8, kMaxColumns) / wide * wide);
  for (int64_t offset = 0; offset < layout.elements(); ++offset) {
    text += cell(element_at(layout, grid, offset), width);
    if ((offset + 1) % line == 0 || offset + 1 == layout.elements()) {
      text += "\n";
    } else if ((offset + 1) % wide == 0) {
      text += " |";
    }
  }
  return text;
}

}  // namespace tileproof::cli

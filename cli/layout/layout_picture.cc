// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/layout_picture.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/layout/edge_offsets.h"

namespace tileproof::cli {
namespace {

constexpr int64_t kMaxPositionsOfText = 1024;
constexpr int64_t kMaxColumns = 32;  // of a text picture
constexpr size_t kWidestRowName = 9;

// An array as rows and columns: the last dimension is a row. A long array of one dimension has
// several rows.
struct Grid {
  std::vector<int64_t> dims;
  int64_t elements = 1, columns = 1;

  explicit Grid(const std::vector<int64_t>& logical) : dims(logical) {
    for (const int64_t size : dims) elements *= size;
    if (!dims.empty()) columns = dims.back();
    if (dims.size() == 1) columns = std::min(columns, kMaxColumns);
  }
  // Of the row-major number of an element.
  std::vector<int64_t> index(int64_t number) const {
    std::vector<int64_t> index(dims.size());
    for (size_t d = dims.size(); d-- > 0; number /= dims[d]) index[d] = number % dims[d];
    return index;
  }
  int64_t number(const std::vector<int64_t>& index) const {
    int64_t number = 0;
    for (size_t d = 0; d < dims.size(); ++d) number = number * dims[d] + index[d];
    return number;
  }
  // "[1,0]  " before the first element of the row with that index, in arrays of many dimensions.
  std::string row_name(const std::vector<int64_t>& index) const {
    if (dims.size() < 3) return "";
    const std::string name =
        absl::StrCat("[", absl::StrJoin(index.begin(), index.end() - 1, ","), "]");
    return absl::StrCat(name,
                        std::string(kWidestRowName - std::min(kWidestRowName, name.size()), ' '));
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
  const int64_t wide = memory_row(layout);
  if (layout.elements() == 0 || layout.elements() > kMaxPositionsOfText ||
      layout.elements() == layout.padding() || wide > 4 * kMaxColumns) {
    return "";
  }
  const Grid grid(layout.logical());
  if (grid.columns > kMaxColumns) return "";
  const int64_t width = std::ssize(absl::StrCat(layout.elements())) + 1;
  std::string text = "offset of each element\n";
  for (int64_t number = 0; number < grid.elements; ++number) {
    const std::vector<int64_t> index = grid.index(number);
    if (number % grid.columns == 0) text += grid.row_name(index);
    text += cell(layout.linearize_unchecked(index), width);
    if ((number + 1) % grid.columns == 0 || number + 1 == grid.elements) text += "\n";
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

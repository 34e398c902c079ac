// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/layout/layout_parts.h"
#include "spec/lang/base/dims.h"

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

using Index = std::vector<int64_t>;

constexpr int64_t kMostSteps = 4096;
constexpr size_t kMostLines = 24;

// The coordinates of a dimension at which a tile ends: 128 for the minor one of T(8,128). `along`
// gives the offset at a coordinate. Differences wrap, as offsets may be close to 2^63.
std::vector<int64_t> edges_along(int64_t size, absl::FunctionRef<int64_t(int64_t)> along) {
  std::vector<int64_t> edges;
  if (size < 2) return edges;
  const auto step = [&](int64_t from, int64_t to) {
    return static_cast<uint64_t>(along(to)) - static_cast<uint64_t>(along(from));
  };
  int64_t unit = 1;
  while (true) {
    const int64_t last = std::min((size - 1) / unit, kMostSteps);
    int64_t k = 2;
    while (k <= last && step((k - 1) * unit, k * unit) == step(0, unit)) ++k;
    if (k > last) return edges;
    unit *= k;
    edges.push_back(unit);
  }
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

std::string edge_offsets(const Index& dims, absl::FunctionRef<int64_t(const Index&)> offset) {
  if (std::ranges::any_of(dims, [](int64_t size) { return size < 1; })) return "";
  std::vector<Index> shown;
  bool any = false;
  for (size_t d = dims.size(); d-- > 0;) {
    Index index(dims.size(), 0);
    const auto along = [&](int64_t coordinate) {
      index[d] = coordinate;
      return offset(index);
    };
    const std::vector<int64_t> edges = edges_along(dims[d], along);
    any = any || !edges.empty();
    std::vector<int64_t> coordinates = {1};
    for (const int64_t edge : edges) coordinates.insert(coordinates.end(), {edge - 1, edge});
    coordinates.erase(std::unique(coordinates.begin(), coordinates.end()), coordinates.end());
    for (const int64_t coordinate : coordinates) {
      if (coordinate >= dims[d]) continue;
      index[d] = coordinate;
      shown.push_back(index);
    }
  }
  if (!any) return "";
  const bool is_cut = shown.size() > kMostLines;
  if (is_cut) shown.resize(kMostLines);
  std::string text = "offsets beside the edges of tiles\n";
  const auto add = [&](const Index& index) {
    absl::StrAppend(&text, "  ", dims_text(index), "  ", offset(index), "\n");
  };
  for (const Index& index : shown) add(index);
  if (is_cut) text += "  ..\n";
  Index last = dims;
  for (int64_t& coordinate : last) --coordinate;
  add(last);
  return text;
}

}  // namespace tileproof::cli

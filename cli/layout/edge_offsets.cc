// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/edge_offsets.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/dims.h"

namespace tileproof::cli {
namespace {

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

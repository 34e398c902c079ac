// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/bank_access.h"

#include <algorithm>
#include <utility>

#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "cli/verbs/threads.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/thread_layout.h"

namespace tileproof::cli {
namespace {

NodeId with_number(IndexingMap& map, Op op, NodeId a, int64_t b) {
  return add_operation(map.nodes, op, a, add_constant(map.nodes, b));
}

// The index with this number, the first dimension fastest. The last coordinate may be outside.
void spread(IndexingMap& map, NodeId number, const std::vector<int64_t>& dims) {
  map.results.clear();
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool is_last = d + 1 == dims.size();
    const int64_t size = std::max<int64_t>(dims[d], 1);
    map.results.push_back(is_last ? number : with_number(map, Op::kMod, number, size));
    if (!is_last) number = with_number(map, Op::kFloorDiv, number, size);
  }
}

absl::StatusOr<IndexingMap> of_threads(AnyMap threads, const std::vector<int64_t>& dims) {
  IndexingMap map = std::move(threads.map);
  if (map.dimensions.empty() || map.dimensions.size() > 2) {
    return invalid("expected a layout of threads, or of threads and values, found ",
                   map.dimensions.size(), " dimensions");
  }
  map.dimensions[0].name = "lane";
  if (map.dimensions.size() == 2) {
    map.ranges = {map.dimensions[1]};
    map.dimensions.pop_back();
    for (Node& node : map.nodes) {
      if (node.op == Op::kDimension && node.value == 1) node = {.op = Op::kRange};
    }
  }
  spread(map, map.results[0], dims);
  return map;
}

// Lanes first, then warps and blocks; registers are the values of a lane.
IndexingMap of_places(IndexingMap map) {
  map.ranges = {map.dimensions[0]};
  map.dimensions.erase(map.dimensions.begin());
  for (Node& node : map.nodes) {
    if (node.op != Op::kDimension) continue;
    node = node.value == 0 ? Node{.op = Op::kRange}
                           : Node{.op = Op::kDimension, .value = node.value - 1};
  }
  return map;
}

// The dimension along which elements lie beside each other.
absl::StatusOr<size_t> contiguous_dimension(const spec::LayoutFunction& layout, int64_t at_once) {
  for (const size_t d : {1, 0}) {
    bool is_contiguous = layout.dims[d] >= at_once;
    for (int64_t i = 0; is_contiguous && i < at_once; ++i) {
      std::vector<int64_t> first(2, 0), index(2, 0);
      index[d] = i;
      const int64_t offset = TRY(spec::offset_at(layout, index));
      is_contiguous = offset == TRY(spec::offset_at(layout, first)) + i;
    }
    if (is_contiguous) return d;
  }
  return invalid("expected rows or columns of ", at_once, " elements beside each other");
}

absl::StatusOr<IndexingMap> of_pattern(absl::string_view pattern,
                                       const spec::LayoutFunction& layout, int64_t at_once) {
  if (layout.dims.size() != 2) {
    return invalid("expected a layout of two dimensions for ", pattern, ", found ",
                   layout.dims.size());
  }
  const size_t along = TRY(contiguous_dimension(layout, at_once)), across = 1 - along;
  const int64_t vectors = layout.dims[along] / at_once, rows = layout.dims[across];
  if (layout.dims[along] % at_once != 0) {
    return invalid("expected a multiple of ", at_once, " elements along dimension ", along,
                   ", found ", layout.dims[along]);
  }
  IndexingMap map;
  const auto dimension = [&map](const char* name, int64_t size) {
    map.dimensions.push_back({{0, size - 1}, name});
    return add_variable(map.nodes, Op::kDimension, std::ssize(map.dimensions) - 1);
  };
  map.results.resize(2);
  const bool is_matrix = pattern == "ldmatrix" || pattern == "stmatrix";
  if (is_matrix && rows % 8 != 0) {
    return invalid("expected a multiple of 8 along dimension ", across, " for ", pattern,
                   ", found ", rows);
  }
  if (is_matrix) {
    const NodeId lane = dimension("lane", 8);
    const NodeId matrix = with_number(map, Op::kMul, dimension("row", rows / 8), 8);
    map.results[across] = add_operation(map.nodes, Op::kAdd, matrix, lane);
    map.results[along] = with_number(map, Op::kMul, dimension("column", vectors), at_once);
    return map;
  }
  const int64_t lanes = pattern == "tma" ? 8 : 32;
  const NodeId lane = dimension("lane", std::min(lanes, vectors * rows));
  const NodeId first =
      with_number(map, Op::kMul, dimension("step", (vectors * rows + lanes - 1) / lanes), lanes);
  const NodeId number = add_operation(map.nodes, Op::kAdd, first, lane);
  map.constraints.push_back({number, {0, vectors * rows - 1}});
  const int64_t divisor = std::max<int64_t>(vectors, 1);
  map.results[across] = with_number(map, Op::kFloorDiv, number, divisor);
  map.results[along] =
      with_number(map, Op::kMul, with_number(map, Op::kMod, number, divisor), at_once);
  return map;
}

}  // namespace

bool is_bank_pattern(absl::string_view text) {
  return std::ranges::find(kBankPatterns, text) != kBankPatterns.end();
}

absl::StatusOr<IndexingMap> bank_access(const std::string& text, const spec::LayoutFunction& layout,
                                        int64_t at_once) {
  if (is_bank_pattern(text)) return of_pattern(text, layout, at_once);
  if (has_thread_layout(text)) return of_places(TRY(parse_threads(text)).map);
  AnyMap access = TRY(parse_any_map(text));
  if (!access.layout) return std::move(access.map);
  return of_threads(std::move(access), layout.dims);
}

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/hlo_outside.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMillisecondsOfSide = 1'000;  // of the solver, for one side of one dimension

bool is_empty(const Interval& bounds) { return bounds.low > bounds.high; }

bool depends_on_runtime(const IndexingMap& map) {
  std::vector<NodeId> roots;
  for (const Constraint& constraint : map.constraints) roots.push_back(constraint.expr);
  const std::vector<NodeId> nodes = spec::nodes_under(map.nodes, roots);
  return std::any_of(nodes.begin(), nodes.end(),
                     [&map](NodeId id) { return map.nodes[id].op == Op::kRuntime; });
}

// A point of the map with dimension d in `bounds`.
std::optional<std::string> point_within(IndexingMap map, size_t d, Interval bounds) {
  if (is_empty(bounds)) return std::nullopt;
  for (NodeId& result : map.results) result = add_constant(map.nodes, 0);  // only the domain counts
  map.dimensions[d].bounds = bounds;
  IndexingMap empty = map;
  empty.dimensions[d].bounds = {0, -1};
  verify::EqualOptions options;
  options.milliseconds = kMillisecondsOfSide;
  const absl::StatusOr<verify::MapEquality> equality = verify::equal(map, empty, options);
  if (!equality.ok() || equality->verdict != verify::Verdict::kRefuted) return std::nullopt;
  return spec::to_text(map, equality->difference->at);
}

std::optional<std::string> point_outside(const IndexingMap& map, const spec::Dims& dims) {
  if (map.known_empty || map.dimensions.size() != dims.size() || depends_on_runtime(map)) {
    return std::nullopt;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    const Interval bounds = map.dimensions[d].bounds;
    for (const Interval& beyond : {Interval{bounds.low, std::min<int64_t>(bounds.high, -1)},
                                   Interval{std::max(bounds.low, dims[d]), bounds.high}}) {
      if (std::optional<std::string> point = point_within(map, d, beyond)) return point;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> point_outside(const impl::Indexing& indexing, const spec::Dims& dims) {
  for (const auto& lists : indexing) {
    for (const impl::LeafMaps& list : lists) {
      for (const impl::IndexedMap& one : list.maps) {
        const std::optional<std::string> point = point_outside(one.map, dims);
        if (!point) continue;
        return absl::StrCat("the map has the point ", *point, ", which is outside of the array; ",
                            to_text(one.map));
      }
    }
  }
  return std::nullopt;
}

}  // namespace tileproof::conform

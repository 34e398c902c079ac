// SPDX-License-Identifier: Apache-2.0
// What the random requests about maps contain.
#include "conform/suites/map_suites.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/suites/suites.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

constexpr int kCases = 2000;

std::vector<IndexingMap> maps_of(const Json& request) {
  std::vector<IndexingMap> maps;
  for (const char* key : {"map", "first", "second", "left", "right"}) {
    const Json* given = find(request, key);
    if (given == nullptr) continue;
    absl::StatusOr<IndexingMap> map = parse_map(*given->as<std::string>());
    if (map.ok()) maps.push_back(*std::move(map));
  }
  return maps;
}

std::vector<IndexingMap> random_maps(absl::string_view suite) {
  Cases cases(*suite_named(suite), 1, {});
  std::vector<IndexingMap> maps;
  for (int left = kCases; left > 0;) {
    const Case next = *cases.next();
    if (!next.random) continue;
    for (IndexingMap& map : maps_of(next.request)) maps.push_back(std::move(map));
    --left;
  }
  return maps;
}

// The number of decimal digits of the count of values.
size_t decade(Interval bounds) {
  return absl::StrCat(static_cast<uint64_t>(bounds.high) - static_cast<uint64_t>(bounds.low) + 1)
      .size();
}

// The decades of the variables below a division with a constant divisor.
std::set<size_t> divided_decades(const IndexingMap& map) {
  std::vector<bool> divided(map.nodes.size());
  std::set<size_t> decades;
  for (auto id = static_cast<NodeId>(map.nodes.size()) - 1; id >= 0; --id) {
    const Node& node = map.nodes[id];
    if (is_leaf(node.op)) {
      if (node.op == Op::kConstant || !divided[id]) continue;
      const Interval bounds = variables_of(map, node.op)[node.value].bounds;
      if (bounds.low <= bounds.high) decades.insert(decade(bounds));
      continue;
    }
    const bool divides = node.op != Op::kAdd && node.op != Op::kMul;
    for (NodeId operand : {node.left, node.right}) {
      divided[operand] = divided[operand] || divided[id] || divides;
    }
  }
  return decades;
}

TEST(MapSuites, VariablesUnderADivisionHaveEveryWidth) {
  for (const char* suite : {"map", "simplify", "equal"}) {
    std::array<int, 21> cases{};
    const std::vector<IndexingMap> maps = random_maps(suite);
    for (const IndexingMap& map : maps) {
      for (size_t digits : divided_decades(map)) ++cases[digits];
    }
    for (size_t digits = 1; digits <= 19; ++digits) {
      EXPECT_GE(cases[digits] * 20, std::ssize(maps))
          << suite << ", " << digits << " digits: " << cases[digits] << " of " << maps.size();
    }
  }
}

}  // namespace
}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// What pairs of operations the default requests about maps ask: an operation with a constant of
// some sign whose operand is an operation with another constant, that divides it or not, over
// variables of some width. The test prints the table.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conform/suites/suites.h"
#include "gtest/gtest.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

constexpr int kCases = 7000;  // of the four suites of maps together

constexpr Op kOuter[] = {Op::kAdd, Op::kMul, Op::kFloorDiv, Op::kCeilDiv, Op::kMod};
constexpr const char* kRelations[] = {"equal", "multiple", "divisor", "neither"};
constexpr const char* kWidths[] = {"to 2^8", "to 2^31", "above"};

struct Pair {
  Op outer, inner;
  bool negative = false;
  size_t relation = 0, width = 0;

  auto operator<=>(const Pair&) const = default;
};

absl::string_view name_of(Op op) { return absl::StripAsciiWhitespace(symbol_of(op)); }

std::optional<int64_t> constant_of(const IndexingMap& map, const Node& node) {
  if (is_leaf(node.op) || map.nodes[node.right].op != Op::kConstant) return std::nullopt;
  const int64_t value = map.nodes[node.right].value;
  return value == 0 || value == INT64_MIN ? std::nullopt : std::optional(value);
}

// The relation of the outer constant to the inner one.
size_t relation_of(int64_t outer, int64_t inner) {
  if (std::abs(outer) == std::abs(inner)) return 0;
  if (outer % inner == 0) return 1;
  return inner % outer == 0 ? 2 : 3;
}

// The width of the widest variable below the node.
size_t width_below(const IndexingMap& map, NodeId id) {
  const Node& node = map.nodes[id];
  if (node.op == Op::kConstant) return 0;
  if (!is_leaf(node.op)) return std::max(width_below(map, node.left), width_below(map, node.right));
  const Interval bounds = variables_of(map, node.op)[node.value].bounds;
  if (bounds.low > bounds.high) return 0;
  const auto bits =
      std::bit_width(static_cast<uint64_t>(bounds.high) - static_cast<uint64_t>(bounds.low));
  return bits <= 8 ? 0 : bits <= 31 ? 1 : 2;
}

void count_pairs(const IndexingMap& map, std::map<Pair, int64_t>& pairs) {
  if (map.nodes.size() > 400) return;
  for (const Node& node : map.nodes) {
    const std::optional<int64_t> outer = constant_of(map, node);
    const std::optional<int64_t> inner =
        outer ? constant_of(map, map.nodes[node.left]) : std::nullopt;
    if (!inner) continue;
    ++pairs[{node.op, map.nodes[node.left].op, *outer < 0, relation_of(*outer, *inner),
             width_below(map, node.left)}];
  }
}

// The pairs in the default requests of a seed.
std::map<Pair, int64_t> pairs_of(uint64_t seed) {
  std::map<Pair, int64_t> pairs;
  constexpr const char* kSuites[] = {"map", "simplify", "compose", "equal"};
  for (const char* suite : kSuites) {
    Cases cases(*suite_named(suite), seed, {});
    for (int i = 0; i < kCases / static_cast<int>(std::size(kSuites)); ++i) {
      const Json request = cases.next()->request;
      for (const char* key : {"map", "first", "second", "left", "right"}) {
        const Json* given = find(request, key);
        if (given == nullptr) continue;
        const absl::StatusOr<IndexingMap> map = parse_map(*given->as<std::string>());
        if (map.ok()) count_pairs(*map, pairs);
      }
    }
  }
  return pairs;
}

// Every combination of the table.
std::vector<Pair> all_pairs() {
  std::vector<Pair> all;
  for (Op outer : kOuter) {
    for (Op inner : kOuter) {
      for (bool negative : {false, true}) {
        for (size_t relation = 0; relation < std::size(kRelations); ++relation) {
          for (size_t width = 0; width < std::size(kWidths); ++width) {
            all.push_back({outer, inner, negative, relation, width});
          }
        }
      }
    }
  }
  return all;
}

std::string text_of(const Pair& pair) {
  return absl::StrCat("(x ", name_of(pair.inner), " c) ", name_of(pair.outer),
                      pair.negative ? " -d, " : " d, ", kRelations[pair.relation], ", ",
                      kWidths[pair.width]);
}

// How many combinations of each pair of operations are asked, and how often the rarest one.
void print(std::map<Pair, int64_t>& pairs) {
  std::map<std::pair<Op, Op>, std::pair<int64_t, int64_t>> rows;
  for (const Pair& pair : all_pairs()) {
    auto [row, is_new] = rows.try_emplace({pair.outer, pair.inner}, 0, INT64_MAX);
    row->second.first += pairs[pair] > 0 ? 1 : 0;
    row->second.second = std::min(row->second.second, pairs[pair]);
  }
  for (const auto& [operations, counts] : rows) {
    std::cout << absl::StreamFormat("(x %-8s c) %-8s d   %2d of 24, the rarest %d times\n",
                                    name_of(operations.second), name_of(operations.first),
                                    counts.first, counts.second);
  }
}

TEST(MapSuites, AskEveryPairOfOperations) {
  std::map<Pair, int64_t> together;
  const std::vector<Pair> all = all_pairs();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    std::map<Pair, int64_t> pairs = pairs_of(seed);
    if (seed == 1) print(pairs);
    const auto asked = std::count_if(all.begin(), all.end(),
                                     [&pairs](const Pair& pair) { return pairs[pair] > 0; });
    std::cout << "seed " << seed << ": " << asked << " of " << all.size() << "\n";
    EXPECT_GE(asked * 100, std::ssize(all) * 98) << "seed " << seed;
    for (const auto& [pair, count] : pairs) together[pair] += count;
  }
  for (const Pair& pair : all) EXPECT_GT(together[pair], 0) << text_of(pair);
}

}  // namespace
}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// The random requests have sizes of every order of magnitude, so faults of one show.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/oracle/hlo_ops.h"
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

// ---- Faults that show at sizes of one order of magnitude only ----

// Turns x floordiv c into x ceildiv c, and x mod c into x mod (c + 1), for variables with so many
// digits of values.
bool divide_wrongly(IndexingMap& map, size_t digits) {
  bool changed = false;
  for (size_t id = 0; id < map.nodes.size(); ++id) {
    const Node node = map.nodes[id];
    if (node.op != Op::kFloorDiv && node.op != Op::kMod) continue;
    const Node& x = map.nodes[node.left];
    if (!is_variable(x.op)) continue;
    const Interval bounds = variables_of(map, x.op)[x.value].bounds;
    if (bounds.low > bounds.high || decade(bounds) != digits) continue;
    map.nodes[id].op = node.op == Op::kMod ? Op::kFloorDiv : Op::kCeilDiv;
    changed = true;
  }
  return changed;
}

bool is_wrong(const Json& request, Json result) {
  return fails(judge(request, result_answer(Json(1), std::move(result))).verdict);
}

TEST(MapSuites, AFaultOfOneOrderOfMagnitudeIsNoticed) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (size_t digits = 1; digits <= 19; ++digits) {
      Cases cases(*suite_named("simplify"), seed, {});
      bool noticed = false;
      for (int i = 0; i < 1000 && !noticed; ++i) {
        const Json request = cases.next()->request;
        std::vector<IndexingMap> maps = maps_of(request);
        noticed = maps.size() == 1 && divide_wrongly(maps[0], digits) &&
                  is_wrong(request, to_text(maps[0]));
      }
      EXPECT_TRUE(noticed) << "seed " << seed << ", " << digits << " digits";
    }
  }
}

// The first map of the answer with its first result one greater, if the array that the question is
// about has a dimension with so many digits.
std::optional<Json> shifted_answer(const Json& request, size_t digits) {
  const absl::StatusOr<HloQuestion> question = read_hlo_question(request);
  if (!question.ok()) return std::nullopt;
  const Json right = right_answer(request);
  const auto* lists = find_as<Json::Array>(right, "result");
  if (lists == nullptr || lists->empty()) return std::nullopt;
  const auto* list = (*lists)[0].as<Json::Array>();
  const auto* text = list == nullptr || list->empty() ? nullptr : (*list)[0].as<std::string>();
  absl::StatusOr<IndexingMap> map =
      text == nullptr ? absl::InvalidArgumentError("no map") : parse_map(*text);
  if (!map.ok() || map->results.empty()) return std::nullopt;
  const bool large = std::ranges::any_of(
      map->dimensions, [&](const Variable& v) { return decade(v.bounds) == digits; });
  if (!large) return std::nullopt;
  map->results[0] =
      add_operation(map->nodes, Op::kAdd, map->results[0], add_constant(map->nodes, 1));
  return Json(Json::Array{Json(Json::Array{to_text(*map)})});
}

TEST(HloSuite, AFaultOfOneOrderOfMagnitudeIsNoticed) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    for (size_t digits = 1; digits <= 10; ++digits) {
      Cases cases(*suite_named("hlo"), seed, {});
      bool noticed = false;
      for (int i = 0; i < 1000 && !noticed; ++i) {
        const Json request = cases.next()->request;
        std::optional<Json> shifted = shifted_answer(request, digits);
        noticed = shifted && is_wrong(request, *std::move(shifted));
      }
      EXPECT_TRUE(noticed) << "seed " << seed << ", dimensions of " << digits << " digits";
    }
  }
}

}  // namespace
}  // namespace tileproof::conform

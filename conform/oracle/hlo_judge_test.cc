// SPDX-License-Identifier: Apache-2.0
// An answer to hlo.index is exactly the relation: a map with a point outside of its array is wrong,
// for every operation, in both directions and for arrays of any size.
#include "conform/oracle/hlo_judge.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conform/judge/judge.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/suites/suites.h"
#include "gtest/gtest.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

// The sizes of the array at which the maps start.
std::optional<std::vector<Interval>> bounds_of(const Json& lists) {
  for (const Json& list : *lists.as<Json::Array>()) {
    const auto* items = list.as<Json::Array>();
    if (items == nullptr || items->empty()) continue;
    const Json* text = find((*items)[0], "map");
    if (text == nullptr) text = &(*items)[0];
    std::vector<Interval> bounds;
    const absl::StatusOr<IndexingMap> map = parse_map(*text->as<std::string>());
    if (!map.ok() || map->known_empty) return std::nullopt;
    for (const Variable& d : map->dimensions) bounds.push_back(d.bounds);
    return bounds;
  }
  return std::nullopt;
}

// Adds to the first list that has a map one more: a single point outside of the array.
std::optional<Json> with_point(const Json& lists, size_t d, int64_t outside) {
  Json::Array all = *lists.as<Json::Array>();
  for (Json& list : all) {
    auto* items = list.as<Json::Array>();
    if (items == nullptr || items->empty()) continue;
    Json item = (*items)[0];
    const Json* under = find(item, "map");
    IndexingMap map = *parse_map(*(under == nullptr ? item : *under).as<std::string>());
    map.constraints.clear();
    for (NodeId& result : map.results) result = add_constant(map.nodes, 0);
    for (Variable& dimension : map.dimensions) dimension.bounds = {0, 0};
    map.dimensions[d].bounds = {outside, outside};
    for (Variable& range : map.ranges) {
      if (range.bounds.low > range.bounds.high) return std::nullopt;
    }
    if (under == nullptr) {
      item = to_text(map);
    } else {
      set(item, "map", to_text(map));
    }
    items->push_back(std::move(item));
    return Json(std::move(all));
  }
  return std::nullopt;
}

TEST(HloOutside, EveryOperationInBothDirections) {
  std::map<std::pair<std::string, std::string>, int64_t> seen;  // by operation and direction
  std::map<std::string, int64_t> directions;
  int64_t count = 0;
  Cases cases(*suite_named("hlo"), 3, {});
  for (uint64_t i = 0; i < 2500; ++i) {
    const Json request = cases.next()->request;
    Answer given = answer({Json(1), "hlo.index", request}, Engine::kImpl);
    if (given.kind != Answer::Kind::kResult) continue;
    const absl::StatusOr<HloQuestion> question = read_hlo_question(request);
    const HloInstruction& at =
        question->module.computations[question->computation].instructions[question->instruction];
    const std::string direction = question->is_inverse() ? "input_to_output" : "output_to_input";
    if (++seen[{at.opcode_text, direction}] > 4) continue;
    const Json lists = given.result;
    const std::optional<std::vector<Interval>> bounds = bounds_of(lists);
    if (!bounds || bounds->empty()) continue;
    const size_t d = i % bounds->size();
    const Interval inside = (*bounds)[d];
    for (int64_t outside : {int64_t{-1}, int64_t{-1000}, inside.high + 1'000'000'000'000'000}) {
      const std::optional<Json> altered = with_point(lists, d, outside);
      if (!altered) continue;
      given.result = *altered;
      ++count;
      ++directions[direction];
      EXPECT_EQ(to_text(judge(request, given).verdict), "wrong") << to_text(request) << "\n"
                                                                 << to_text(*altered);
    }
  }
  EXPECT_GT(count, 300);
  EXPECT_GT(directions["output_to_input"], 100);
  EXPECT_GT(directions["input_to_output"], 100);
}

}  // namespace
}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// The judge notices an altered answer. Each right answer is altered at random in one place: a
// number, a bound, a constant, an operation, a constraint or a map more or less. Alterations that
// keep the meaning do not count; the test enumerates the points of the maps to tell.
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/suites/suites.h"
#include "generate/choose/choose.h"
#include "generate/map/mutate_map.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMostPoints = 20'000;

// What a map means: dimensions and results at each point of its domain. For an operation on HLO the
// range variables do not count, so it is a set of pairs. Nothing if there are too many points.
using Meaning = std::set<std::vector<int64_t>>;

bool add_meaning(const IndexingMap& map, bool with_ranges, Meaning& meaning) {
  const auto add = [&](const spec::Point& point, const std::vector<int64_t>& results) {
    std::vector<int64_t> entry = point.dims;
    for (const auto* others : {&point.ranges, &point.runtime, &results}) {
      if (with_ranges || others == &results)
        entry.insert(entry.end(), others->begin(), others->end());
    }
    meaning.insert(std::move(entry));
    return true;
  };
  return spec::for_each_point(map, kMostPoints, add).ok();
}

std::optional<IndexingMap> map_in(const Json& json) {
  const auto* text = json.as<std::string>();
  absl::StatusOr<IndexingMap> map =
      text == nullptr ? absl::InvalidArgumentError("no text") : parse_map(*text);
  if (!map.ok()) return std::nullopt;
  return *std::move(map);
}

// Each returns an altered result whose meaning differs, or nothing.
std::optional<Json> altered_map(Choose& choose, const Json& result) {
  const std::optional<IndexingMap> right = map_in(result);
  if (!right) return std::nullopt;
  IndexingMap wrong = *right;
  mutate_meaning(choose, wrong);
  Meaning before, after;
  if (!add_meaning(*right, true, before) || !add_meaning(wrong, true, after)) return std::nullopt;
  if (before == after) return std::nullopt;
  return Json(to_text(wrong));
}

// One list of maps: a map is altered, dropped, or added.
std::optional<Json> altered_lists(Choose& choose, const Json& result) {
  const auto* lists = result.as<Json::Array>();
  if (lists == nullptr || lists->empty()) return std::nullopt;
  Json::Array all = *lists;
  Json& list = all[static_cast<size_t>(choose(std::ssize(all)))];
  const auto* items = list.as<Json::Array>();
  if (items == nullptr || items->empty()) return std::nullopt;
  std::vector<IndexingMap> maps;
  Meaning before, after;
  for (const Json& item : *items) {
    std::optional<IndexingMap> map = map_in(item);
    if (!map || !map->runtime.empty() || !add_meaning(*map, false, before)) return std::nullopt;
    maps.push_back(*std::move(map));
  }
  const auto at = static_cast<size_t>(choose(std::ssize(maps)));
  const int64_t kind = choose(4);
  if (kind == 0) maps.erase(maps.begin() + static_cast<int64_t>(at));
  if (kind == 1) maps.push_back(maps[at]);
  if (kind == 1) mutate_meaning(choose, maps.back());
  if (kind >= 2) mutate_meaning(choose, maps[at]);
  Json::Array changed;
  for (const IndexingMap& map : maps) {
    if (!add_meaning(map, false, after)) return std::nullopt;
    changed.push_back(to_text(map));
  }
  if (before == after) return std::nullopt;
  list = std::move(changed);
  return Json(std::move(all));
}

// Changes one integer, or the length of one array.
std::optional<Json> altered_numbers(Choose& choose, const Json& json) {
  if (const int64_t* n = json.as<int64_t>()) {
    const int64_t other = choose.pick<int64_t>({*n / 2, -(*n / 3), 0, 1});
    const int64_t near = *n < INT64_MAX ? *n + 1 : *n - 1;
    return Json(choose.chance(1, 2) || other == *n ? near : other);
  }
  if (const bool* said = json.as<bool>()) return Json(!*said);
  if (const auto* object = json.as<Json::Object>()) {
    if (object->empty()) return std::nullopt;
    const Member& member = (*object)[static_cast<size_t>(choose(std::ssize(*object)))];
    if (member.key == "at") return std::nullopt;  // another point may be right
    const std::optional<Json> value = altered_numbers(choose, member.value);
    if (!value) return std::nullopt;
    Json changed = json;
    set(changed, member.key, *value);
    return changed;
  }
  const auto* array = json.as<Json::Array>();
  if (array == nullptr || array->empty()) return std::nullopt;
  Json::Array changed = *array;
  const auto at = static_cast<size_t>(choose(std::ssize(changed)));
  if (choose.chance(1, 6)) {
    changed.erase(changed.begin() + static_cast<int64_t>(at));
    return Json(std::move(changed));
  }
  const std::optional<Json> value = altered_numbers(choose, changed[at]);
  if (!value) return std::nullopt;
  changed[at] = *value;
  return Json(std::move(changed));
}

std::optional<Json> altered(Choose& choose, const std::string& op, const Json& right) {
  if (find(right, "inexact") != nullptr) return std::nullopt;
  const Json* result = find(right, "result");
  if (result == nullptr) return Json(choose(100));  // an error was expected
  if (op == "map.simplify" || op == "map.compose") return altered_map(choose, *result);
  if (op == "hlo.index") return altered_lists(choose, *result);
  if (op == "hlo.tile" || op == "tile.propagate" || op == "hlo.utilization")
    return std::nullopt;  // one tile has many texts
  return altered_numbers(choose, *result);
}

// Numbers beyond 64 bits, for which an error and several results may be right.
bool is_beyond_64_bits(const Json& right) { return find(right, "error") != nullptr; }

TEST(Judge, NoticesAnAlteredAnswer) {
  for (const Suite& suite : suites()) {
    if (suite.by_default != ByDefault::kAsked) continue;
    int64_t count = 0, missed = 0;
    std::string first;
    Cases cases(suite, 7, {});
    for (uint64_t i = 0; i < tileproof::cases<uint64_t>(1500); ++i) {
      const Json request = cases.next()->request;
      const std::string op = *find(request, "op")->as<std::string>();
      const Json right = right_answer(request);
      Choose choose(Choose::Random{i * 977 + 5});
      const std::optional<Json> result = altered(choose, op, right);
      if (!result) continue;
      const Answer answer = result_answer(Json(1), *result);
      const Judgment judgment = judge(request, answer);
      ++count;
      if (fails(judgment.verdict)) continue;
      if (is_beyond_64_bits(right)) continue;
      ++missed;
      if (first.empty())
        first = absl::StrCat(to_text(request), "\n", to_text(*result), "\n",
                             std::string(to_text(judgment.verdict)));
    }
    EXPECT_GE(count, tileproof::cases(30)) << suite.name;
    EXPECT_LE(missed * 1000, count) << suite.name << ": " << missed << " of " << count << "\n"
                                    << first;
  }
}

}  // namespace
}  // namespace tileproof::conform

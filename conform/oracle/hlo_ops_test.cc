// SPDX-License-Identifier: Apache-2.0
// Positions by name, the requests of the suites `hlo` and `uses`, and judgments of points outside of
// an array. corpus/protocol/judged.jsonl has answers and judgments.
#include "conform/oracle/hlo_ops.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/hlo_claim.h"
#include "conform/oracle/oracle.h"
#include "conform/suites/makers.h"
#include "conform/suites/suites.h"
#include "generate/choose/choose.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

Json json(const std::string& text) { return read_json(text)->value; }

// A request of hlo.index. The lines of `hlo` are separated by `; `.
std::string request_line(const std::string& hlo, const std::string& more = "") {
  return absl::StrCat(R"x({"id":1,"op":"hlo.index","direction":"output_to_input","hlo":")x",
                      absl::StrReplaceAll(hlo, {{"; ", "\\n"}}), "\"", more, "}");
}

constexpr char kReverse[] = "r = f32[4] reverse(f32[4] p), dimensions={0}";

TEST(HloOrder, FindsPositionsByName) {
  const std::string fused =
      "f { a = f32[2] parameter(0)\\n ROOT b = f32[2] negate(a) } "
      "ENTRY e { p = f32[2] parameter(0)\\n ROOT x = f32[2] fusion(p), kind=kLoop, calls=f }";
  const absl::StatusOr<HloQuestion> question = read_hlo_question(json(request_line(fused)));
  ASSERT_TRUE(question.ok()) << question.status();
  for (const char* name : {"x/b", "%x/%b", "b"}) {
    const absl::StatusOr<HloPosition> position = position_named(*question, name);
    ASSERT_TRUE(position.ok()) << position.status();
    EXPECT_EQ(impl::name_of(question->module, question->computation, *position), "x/b");
  }
  EXPECT_EQ(position_named(*question, "p#3")->leaf, 3);
  for (const char* name : {"", "c", "x/c", "p/b", "x/b/b", "p#", "p#-1", "/b"}) {
    EXPECT_FALSE(position_named(*question, name).ok()) << name;
  }
}

// ---- The suite ----

Answer own_answer(const Json& request) {
  return answer({Json(1), "hlo.index", request}, Engine::kImpl);
}

TEST(HloSuite, OurAnswersPassAndEmptyListsFail) {
  int64_t emptied = 0;
  int64_t large = 0;  // their answers are proven, which hlo_proof_test tests
  Cases cases(*suite_named("hlo"), 1, {});
  for (int64_t i = 0; i < 1500; ++i) {
    const Json request = cases.next()->request;
    Answer given = own_answer(request);
    EXPECT_EQ(to_text(judge(request, given).verdict), "pass") << to_text(request);
    if (given.kind != Answer::Kind::kResult) continue;
    const absl::StatusOr<spec::Provenance> enumerated =
        provenance_of(*read_hlo_question(request), {0, 1, 0});
    if (!enumerated.ok()) {
      EXPECT_EQ(enumerated.status().code(), absl::StatusCode::kResourceExhausted);
      ++large;
      continue;
    }
    const spec::Provenance& truth = *enumerated;
    int64_t list = 0;
    for (int32_t k = 0; k < std::ssize(truth.sources); ++k) {
      for (int32_t leaf = 0; leaf < std::ssize(truth.sources[k]); ++leaf, ++list) {
        const bool any = std::ranges::any_of(truth.elements, [&](const auto& sources) {
          return std::ranges::any_of(*sources, [&](const spec::Source& source) {
            return source.operand == k && source.leaf == leaf;
          });
        });
        if (!any) continue;
        Answer less = given;
        (*less.result.as<Json::Array>())[static_cast<size_t>(list)] = Json::Array();
        ++emptied;
        EXPECT_NE(to_text(judge(request, less).verdict), "pass") << to_text(request) << list;
      }
    }
  }
  EXPECT_GT(emptied, 1500);
  EXPECT_LT(large, 300);
}

TEST(HloSuite, HasEveryKindOfRequest) {
  int64_t errors = 0, sources = 0, whole = 0, inputs = 0;
  Cases cases(*suite_named("hlo"), 1, {});
  for (int64_t i = 0; i < 1000; ++i) {
    const Json request = cases.next()->request;
    const Answer given = own_answer(request);
    errors += given.kind == Answer::Kind::kError ? 1 : 0;
    sources += to_text(given).find("\"runtime\":[{") != std::string::npos ? 1 : 0;
    const Json* direction = find(request, "direction");
    inputs += direction != nullptr && *direction == Json("input_to_output") ? 1 : 0;
    const Json* scope = find(request, "scope");
    whole += scope != nullptr && *scope == Json("computation") ? 1 : 0;
  }
  EXPECT_GT(errors, 10);
  EXPECT_GT(sources, 10);
  EXPECT_GT(whole, 300);
  EXPECT_GT(inputs, 300);
}

TEST(HloSuite, KeepsTheLimitOfRankForEveryShape) {
  Limits limits;
  limits.rank = 2;
  limits.tiles = 0;
  Cases cases(*suite_named("hlo"), 1, limits);
  for (int64_t i = 0; i < 200; ++i) {
    const Json request = cases.next()->request;
    const auto* text =
        find(request, "hlo") == nullptr ? nullptr : find(request, "hlo")->as<std::string>();
    const absl::StatusOr<HloModule> module = parse_hlo_module(text == nullptr ? "" : *text);
    if (!module.ok()) continue;
    for (const HloComputation& computation : module->computations) {
      for (const HloInstruction& at : computation.instructions) {
        EXPECT_LE(at.shape ? at.shape->rank() : 0, 2) << *text;
      }
    }
  }
}

TEST(HloParsed, WritesAModuleAsPlainJson) {
  EXPECT_EQ(
      to_text(*find(*find(with_parsed(json(request_line(kReverse))), "parsed"), "hlo")),
      R"x({"computations":[{"name":"","instructions":[{"name":"p","opcode":"parameter",)x"
      R"x("shape":{"type":"f32","bits":32,"dims":[4],"bounded":[false],"minor_to_major":[0],)x"
      R"x("tiles":[],"tail":1,"memory_space":0,"splits":[],"metadata_bytes":0},"operands":[],)x"
      R"x("attributes":{},"parameter":0},{"name":"r","opcode":"reverse","shape":{"type":"f32",)x"
      R"x("bits":32,"dims":[4],"bounded":[false],"minor_to_major":[0],"tiles":[],"tail":1,)x"
      R"x("memory_space":0,"splits":[],"metadata_bytes":0},"operands":[0],)x"
      R"x("attributes":{"dimensions":"{0}"}}],"root":1}],"entry":0})x");
  EXPECT_EQ(to_text(*find(*find(with_parsed(json(request_line("no hlo"))), "parsed"), "hlo")),
            "null");
}

// An answer to hlo.index is exactly the relation: a map with a point outside of its array is wrong,
// for every operation, in both directions and for arrays of any size.

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

// The closed forms pass the judge, and the reference can answer every request of the suite.
TEST(HloAccess, OurAnswersPass) {
  std::vector<Json> requests = suite_named("uses")->fixed();
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choose choose(Choose::Random{seed});
    requests.push_back(make_access_request(choose, {}));
  }
  int64_t passed = 0;
  for (const Json& request : requests) {
    const std::string line = to_text(with_id(1, request));
    const Judgment judgment = judge(request, *read_answer(answer_line(line, Engine::kImpl)));
    EXPECT_TRUE(judgment.verdict == Verdict::kPass || judgment.verdict == Verdict::kUnsupported)
        << line << "\n"
        << judgment.right;
    passed += judgment.verdict == Verdict::kPass;
  }
  EXPECT_GT(passed * 10, std::ssize(requests) * 8);
}

}  // namespace
}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// Positions by name, and the requests of the suite `hlo`. corpus/protocol/judged.jsonl has answers
// and judgments.
#include "conform/oracle/hlo_ops.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conform/judge/judge.h"
#include "conform/oracle/hlo_claim.h"
#include "conform/oracle/parsed.h"
#include "conform/suites/makers.h"
#include "conform/suites/suites.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"

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

}  // namespace
}  // namespace tileproof::conform

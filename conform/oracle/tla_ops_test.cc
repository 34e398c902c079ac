// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/tla_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/oracle/parsed.h"
#include "conform/shrink/shrink.h"
#include "conform/suites/suites.h"
#include "conform/suites/tla_suite.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof::conform {
namespace {

using ::testing::HasSubstr;

std::string answered(absl::string_view fields, Engine engine) {
  return answer_line(absl::StrCat("{\"id\":1,", fields, "}"), engine);
}

// The answer of both engines, which must be equal.
std::string result(absl::string_view fields) {
  const std::string by_reference = answered(fields, Engine::kSpec);
  const std::string by_closed = answered(fields, Engine::kImpl);
  if (by_reference.find("\"error\"") != std::string::npos &&
      by_closed.find("\"error\"") != std::string::npos) {
    return "error";
  }
  EXPECT_EQ(by_reference, by_closed) << fields;
  const absl::StatusOr<JsonText> json = read_json(by_reference);
  const Json* value = json.ok() ? find(json->value, "result") : nullptr;
  return value == nullptr ? by_reference : to_text(*value);
}

std::string verdict(absl::string_view fields, absl::string_view given) {
  const auto request = read_json(absl::StrCat("{", fields, "}"));
  const auto answer = read_answer(absl::StrCat("{\"id\":1,", given, "}"));
  EXPECT_TRUE(request.ok() && answer.ok()) << fields << given;
  return std::string(to_text(judge(request->value, *answer).verdict));
}

TEST(TlaOperations, AnswerTheDocumentedExamples) {
  const std::string seed = R"x("layout":"((4,2),(4,3)):((4,16),(1,32))")x";
  EXPECT_EQ(result(absl::StrCat(R"("op":"tla.offset","coord":[1,5],)", seed)), "37");
  EXPECT_EQ(result(absl::StrCat(R"("op":"tla.offset","coord":[[1,0],[1,1]],)", seed)), "37");
  EXPECT_EQ(result(R"x("op":"tla.offset","layout":"(_4,_2):(_1,_10)","coord":9)x"), "21");
  EXPECT_EQ(result(R"x("op":"tla.make","tag":"zN","element_bits":16,"rows":64,"cols":96)x"),
            R"x("((16,4),(16,6)):((16,256),(1,1024))")x");
  EXPECT_EQ(result(absl::StrCat(R"("op":"tla.tile","tile":[4,4],)", seed)),
            R"x("((4,1),(4,1)):((4,16),(1,32))")x");
}

TEST(TlaOperations, RejectInvalidRequests) {
  for (const char* fields :
       {R"x("op":"tla.offset","layout":"(4,2):(1,10)","coord":-1)x",
        R"x("op":"tla.offset","layout":"(4,2):(1,10)","coord":[0,[1]])x",
        R"x("op":"tla.offset","layout":"(4,2):(1,10)","coord":[0,18446744073709551616])x",
        R"x("op":"tla.offset","layout":"(4,2):(1,10)","coord":"(0,1)")x",
        R"x("op":"tla.offset","layout":"(4,2):(1,10)")x",
        R"x("op":"tla.offset","layout":"(4,2):(1","coord":0)x",
        R"x("op":"tla.offset","layout":"2:9223372036854775807","coord":2)x",
        R"x("op":"tla.make","tag":"zN","element_bits":24,"rows":64,"cols":96)x",
        R"x("op":"tla.make","tag":"ZN","element_bits":16,"rows":64,"cols":96)x",
        R"x("op":"tla.make","tag":"zN","element_bits":16,"rows":-1,"cols":96)x",
        R"x("op":"tla.tile","layout":"(4,2):(1,10)","tile":[4])x",
        R"x("op":"tla.tile","layout":"(4,2):(1,10)","tile":[[4,2],1])x"}) {
    EXPECT_EQ(result(fields), "error") << fields;
  }
}

TEST(TlaJudge, AcceptsALayoutInAnySpelling) {
  const char* make = R"x("op":"tla.make","tag":"zN","element_bits":16,"rows":64,"cols":96)x";
  EXPECT_EQ(verdict(make, R"x("result":"((16,4),(16,6)):((16,256),(1,1024))")x"), "pass");
  EXPECT_EQ(verdict(make, R"x("result":"((_16, 4), (Int<16>, 6)) : ((16,256),(_1,1024))")x"),
            "pass");
  EXPECT_EQ(verdict(make, R"x("result":"((16,4),(16,6)):((16,256),(1,1025))")x"), "wrong");
  EXPECT_EQ(verdict(make, R"x("result":"((16,4),(16,6)):(16,256,1,1024)")x"), "wrong");
  EXPECT_EQ(verdict(make, R"x("result":[16,4])x"), "wrong");
  EXPECT_EQ(verdict(make, R"x("error":"no")x"), "error");
}

TEST(TlaAlgebra, AnswersTheExamplesAndRejectsInvalidRequests) {
  EXPECT_EQ(result(R"x("op":"tla.coalesce","layout":"(2,(1,6)):(1,(6,2))")x"), "\"12:1\"");
  EXPECT_EQ(result(R"x("op":"tla.composition","layout":"(6,2):(8,2)","by":"(4,3):(3,1)")x"),
            R"x("((2,2),3):((24,2),8)")x");
  EXPECT_EQ(result(R"x("op":"tla.complement","layout":"(2,2):(1,6)","size":24)x"),
            R"x("(3,2):(2,12)")x");
  EXPECT_EQ(result(R"x("op":"tla.right_inverse","layout":"(2,3):(3,1)")x"), R"x("(3,2):(2,1)")x");
  EXPECT_EQ(result(R"x("op":"tla.left_inverse","layout":"4:2")x"), R"x("(2,4):(4,1)")x");
  EXPECT_EQ(result(R"x("op":"tla.logical_product","layout":"(2,2):(4,1)","by":"6:1")x"),
            R"x("((2,2),(2,3)):((4,1),(2,8))")x");
  EXPECT_EQ(result(R"x("op":"tla.tiled_divide","layout":"(4,6):(1,4)","by":"(2,3)")x"),
            R"x("((2,3),2,2):((1,4),2,12)")x");
  for (const char* refused : {R"x("op":"tla.composition","layout":"(5,4):(1,100)","by":"6:2")x",
                              R"x("op":"tla.composition","layout":"(5,4):(1,100)")x",
                              R"x("op":"tla.composition","layout":"(5,4):(1,100)","by":"(6")x",
                              R"x("op":"tla.complement","layout":"4:1")x",
                              R"x("op":"tla.complement","layout":"4:1","size":0)x"}) {
    EXPECT_EQ(result(refused), "error") << refused;
    EXPECT_EQ(verdict(refused, R"("error":"no")"), "pass") << refused;
    EXPECT_EQ(verdict(refused, R"x("result":"(3,2):(2,100)")x"), "error") << refused;
  }
  const char* valid = R"x("op":"tla.composition","layout":"(6,2):(8,2)","by":"(4,3):(3,1)")x";
  EXPECT_EQ(verdict(valid, R"x("result":"((_2,_2),3):((24,2),8)")x"), "pass");
  EXPECT_EQ(verdict(valid, R"x("result":"(4,3):(24,8)")x"), "wrong");
  EXPECT_EQ(verdict(valid, R"("error":"no")"), "error");
}

TEST(TlaJudge, AcceptsAnErrorIfANumberLeaves64Bits) {
  const char* beyond =
      R"x("op":"tla.offset","layout":"(2,2):(9223372036854775807,1)","coord":[1,1])x";
  EXPECT_EQ(verdict(beyond, R"x("error":"no")x"), "pass");
  EXPECT_EQ(verdict(beyond, R"x("result":-9223372036854775808)x"), "error");
  const char* between =
      R"x("op":"tla.offset","layout":"(2,2,2):(9223372036854775807,1,-1)","coord":[1,1,1])x";
  EXPECT_EQ(verdict(between, R"x("error":"no")x"), "pass");
  EXPECT_EQ(verdict(between, R"x("result":9223372036854775807)x"), "pass");
  const char* huge =
      R"x("op":"tla.make","tag":"zN","element_bits":8,"rows":9223372036854775807,"cols":1)x";
  EXPECT_EQ(verdict(huge, R"x("error":"no")x"), "pass");
  EXPECT_EQ(verdict(huge, R"x("result":"((16,576460752303423488),(32,1)):((32,512),(1,0))")x"),
            "wrong");
  const char* small = R"x("op":"tla.offset","layout":"4:1","coord":2)x";
  EXPECT_EQ(verdict(small, R"x("error":"no")x"), "error");
}

TEST(TlaSuite, EnginesAgreeOnEveryRequest) {
  int64_t valid = 0, refused = 0;
  std::set<std::string> ops;
  const auto check = [&](const Json& request) {
    const absl::StatusOr<Result> by_reference =
        operation_named(*find(request, "op")->as<std::string>())->answer(request, Engine::kSpec);
    const absl::StatusOr<Result> by_closed =
        operation_named(*find(request, "op")->as<std::string>())->answer(request, Engine::kImpl);
    ASSERT_EQ(by_reference.ok(), by_closed.ok())
        << to_text(request) << by_reference.status() << by_closed.status();
    if (by_reference.ok()) {
      ASSERT_EQ(by_reference->value, by_closed->value) << to_text(request);
    }
    ++(by_reference.ok() ? valid : refused);
    ops.insert(*find(request, "op")->as<std::string>());
  };
  for (const Json& request : suite_named("tla")->fixed()) check(request);
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    Choose choose(Choose::Random{seed});
    check(make_tla_request(choose, {}));
  }
  EXPECT_GT(valid, 4'000);
  EXPECT_GT(refused, 200);
  EXPECT_EQ(ops.size(), 3u);
}

TEST(TlaSuite, KeepsTheLimits) {
  const Suite& suite = *suite_named("tla");
  Cases cases(suite, 3, {.rank = 2, .tiles = {}, .bits = 32, .ops = {}});
  for (int i = 0; i < 300; ++i) {
    const std::optional<Case> next = cases.next();
    ASSERT_TRUE(next.has_value());
    const absl::StatusOr<NestedLayout> layout = nested_under(next->request);
    if (layout.ok()) {
      EXPECT_LE(rank(layout->shape), 2) << to_text(next->request);
    }
    EXPECT_FALSE(tla_may_leave(next->request, 32)) << to_text(next->request);
  }
}

TEST(TlaSuite, ShrinksAFailureToTheSmallestRequest) {
  // The program is wrong: it treats a slice that starts inside of a fractal as affine.
  const NestedLayout layout =
      *parse_nested_layout("(7,((16,4),(16,6),9)):(3,((16,256),(1,1024),6))");
  const Json request = json_object({{"op", "tla.offset"},
                                    {"layout", to_text(layout)},
                                    {"coord", arrays(*parse_int_tuple("(5,((3,1),20,2))"))}});
  const auto fails = [](const Json& json) -> std::optional<bool> {
    const absl::StatusOr<Result> right = tla_offset(json, Engine::kSpec);
    if (!right.ok()) return false;
    const absl::StatusOr<NestedLayout> asked = nested_under(json);
    const absl::StatusOr<Coordinate> at = int_tuple_in(*find(json, "coord"), "coord");
    int64_t affine = 0;  // the sum of each coordinate times the first stride of its mode
    const auto walk = [&affine](auto& self, const IntTuple& c, const IntTuple& d) -> void {
      if (!c.is_tuple) {
        affine += c.value * leaves(d)[0];
        return;
      }
      for (size_t i = 0; i < c.elements.size(); ++i) self(self, c.elements[i], d.elements[i]);
    };
    walk(walk, *at, asked->stride);
    return !(right->value == Json(affine));
  };
  ASSERT_TRUE(*fails(request));
  const Json least = smallest(*suite_named("tla"), {}, {request, {}}, fails);
  EXPECT_EQ(to_text(least), R"x({"op":"tla.offset","layout":"(1,0):(0,1)","coord":1})x");
}

TEST(TlaSuite, HasALargeFamily) {
  const auto next = tla_family();
  std::set<uint64_t> seen;
  int64_t count = 0;
  while (const std::optional<Json> request = next()) {
    ++count;
    seen.insert(case_hash(*request));
  }
  EXPECT_GT(count, 10'000);
  EXPECT_GT(std::ssize(seen) * 2, count);
}

TEST(TlaParsed, WritesALayoutAsNestedArrays) {
  const Json request = json_object(
      {{"op", "tla.offset"}, {"layout", "((4,_2),3):((1,4),8)"}, {"coord", Json::Array{1, 2}}});
  EXPECT_THAT(to_text(with_parsed(request)),
              HasSubstr(R"x("parsed":{"layout":{"shape":[[4,2],3],"stride":[[1,4],8]}})x"));
}

}  // namespace
}  // namespace tileproof::conform

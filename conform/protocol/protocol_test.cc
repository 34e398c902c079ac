// SPDX-License-Identifier: Apache-2.0
// Lines in and out: exact integers, ids that come back unchanged, and every kind of malformed
// request.
#include "conform/protocol/protocol.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/oracle.h"
#include "conform/suites/suites.h"
#include "corpus/files.h"
#include "generate/choose/choose.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tileproof::conform {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ask(absl::string_view line) { return answer_line(line, Engine::kImpl); }

TEST(Protocol, ReturnsIdsUnchanged) {
  for (const char* id :
       {"0", "-5", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "18446744073709551616", "\"\"", "\"seven\"", "\"\xc3\xa4\\n\\\"\"", "\"7\""}) {
    EXPECT_EQ(ask(absl::StrCat(R"({"op":"?","id":)", id, "}")),
              absl::StrCat(R"({"id":)", id, R"(,"unsupported":"operation \"?\""})"));
  }
  const std::string huge(100'000, '7');  // an integer of a hundred thousand digits
  EXPECT_THAT(ask(absl::StrCat(R"({"id":)", huge, R"(,"op":"?"})")),
              StartsWith(absl::StrCat(R"({"id":)", huge, ",")));
}

TEST(Protocol, RejectsMalformedRequestsWithTheirIdIfReadable) {
  for (const char* line : {"",
                           " ",
                           "7",
                           "[]",
                           "{}",
                           "{",
                           "x",
                           "nul",
                           "{\"id\":1,}",
                           "{\"id\":1}{}",
                           "{'id':1}",
                           "{\"id\":01,\"op\":\"\"}",
                           "{\"id\":1.0,\"op\":\"\"}",
                           "{\"id\":1e3,\"op\":\"\"}",
                           "{\"id\":null,\"op\":\"\"}",
                           "{\"id\":[1],\"op\":\"\"}",
                           "{\"op\":\"hello\"}",
                           "{\"id\":1,\"op\":\"\xff\"}",
                           "{\"id\":1,\"op\":\"\xc0\xaf\"}",
                           "{\"id\":1,\"op\":\"\xed\xa0\x80\"}",
                           "{\"id\":1,\"op\":\"\\ud800\"}",
                           "{\"id\":1,\"op\":\"\\x\"}",
                           "{\"id\":1,\"op\":\"\t\"}",
                           "\xef\xbb\xbf{}"}) {
    EXPECT_THAT(ask(line), StartsWith(R"({"id":null,"error":")")) << line;
  }
  for (const char* line : {R"({"id":"a"})", R"({"id":"a","op":7})", R"({"id":"a","op":null})",
                           R"({"id":"a","op":"?","op":"?"})", R"({"id":"a","op":"?","id":"b"})"}) {
    EXPECT_THAT(ask(line), StartsWith(R"({"id":"a","error":")")) << line;
  }
}

TEST(Protocol, ErrorsNameTheColumn) {
  EXPECT_EQ(read_json("[1,2,]").status().message(), "column 6: expected a JSON value, found ']'");
  EXPECT_EQ(read_json("{\"a\" 1}").status().message(),
            "column 6: expected ':' after a key, found '1'");
}

TEST(Protocol, ReadsAThousandNestedArraysAndRejectsMoreAtOnce) {
  const auto nested = [](size_t depth) {
    return absl::StrCat(R"({"id":1,"op":"?","x":)", std::string(depth, '['),
                        std::string(depth, ']'), "}");
  };
  EXPECT_THAT(ask(nested(999)), HasSubstr("unsupported"));
  EXPECT_THAT(ask(nested(1000)), HasSubstr("at most 1000 nested"));
  EXPECT_THAT(ask(std::string(8'000'000, '[')), HasSubstr("at most 1000 nested"));
}

TEST(Protocol, ReadsLinesOf16MiBAndReportsLongerOnesAtOnce) {
  Lines lines;
  lines.add(std::string(kMaxLineBytes, ' '));
  EXPECT_FALSE(lines.next().has_value());
  lines.add("\nshort\n" + std::string(kMaxLineBytes, 'x'));
  EXPECT_EQ(lines.next()->text.size(), kMaxLineBytes);
  EXPECT_EQ(lines.next()->text, "short");
  EXPECT_FALSE(lines.next().has_value());
  lines.add("y");
  EXPECT_TRUE(lines.next()->too_long);  // although it has not ended
  EXPECT_FALSE(lines.next().has_value());
  lines.add("and so on\nthe next\r\nthe last");
  EXPECT_EQ(lines.next()->text, "the next\r");
  EXPECT_FALSE(lines.next().has_value());
  lines.end();
  EXPECT_EQ(lines.next()->text, "the last");
  EXPECT_FALSE(lines.next().has_value());
}

TEST(Protocol, AnAnswerHasExactlyOneOfThree) {
  EXPECT_EQ(read_answer(R"({"id":1,"result":null})")->kind, Answer::Kind::kResult);
  EXPECT_EQ(read_answer(R"({"id":"a","unsupported":"no"})")->why, "no");
  EXPECT_EQ(read_answer(R"({"id":null,"error":"no","more":1})")->why, "no");
  for (const char* line : {R"({"id":1})", R"({"result":1})", R"({"id":1,"result":1,"error":"x"})",
                           R"({"id":1,"result":1,"result":2})", R"({"id":1,"error":5})",
                           R"({"id":1.5,"result":1})", R"([1])", ""}) {
    EXPECT_FALSE(read_answer(line).ok()) << line;
  }
}

TEST(Protocol, HelloOverridesTheDefaults) {
  const auto hello = [](absl::string_view result) {
    return read_hello(*read_answer(absl::StrCat(R"({"id":0,"result":)", result, "}")));
  };
  const Hello whole = *hello(R"({"name":"n","version":"v","ops":["a","b"],"limits":{"rank":8,)"
                             R"("tiles":1,"bits":"64"},"window":99999,"integers":"string",)"
                             R"("parsed":true,"more":1})");
  EXPECT_EQ(whole.name, "n");
  EXPECT_EQ(whole.limits.rank, 8);
  EXPECT_EQ(whole.limits.bits, 64);
  EXPECT_THAT(*whole.limits.ops, ElementsAre("a", "b"));
  EXPECT_EQ(whole.window, kMaxWindow);
  EXPECT_EQ(whole.integers, IntegerForm::kString);
  EXPECT_TRUE(whole.parsed);
  EXPECT_EQ(hello("{}")->window, 1);
  for (const char* result :
       {"7", R"({"window":"x"})", R"({"limits":3})", R"({"ops":{}})", R"({"integers":"roman"})",
        R"({"parsed":1})", R"({"window":-1})", R"({"window":0})", R"({"limits":{"rnak":2}})"}) {
    EXPECT_FALSE(hello(result).ok()) << result;
  }
}

TEST(Protocol, ConvertsIntegersToStringsAndBack) {
  const Json json =
      read_json(R"({"id":7,"a":[1,-2,18446744073709551616],"b":{"c":"007","d":null,"e":"1"}})")
          ->value;
  const Json strings = integers_to_strings(json);
  EXPECT_EQ(to_text(strings),
            R"({"id":7,"a":["1","-2","18446744073709551616"],"b":{"c":"007","d":null,"e":"1"}})");
  EXPECT_EQ(to_text(*integers_from_strings(strings)),
            R"({"id":7,"a":[1,-2,18446744073709551616],"b":{"c":"007","d":null,"e":1}})");
  EXPECT_FALSE(integers_from_strings(json).ok());
}

TEST(Protocol, SendsTheParsedFormOfAShape) {
  const Json request = json_object(
      {{"op", "layout.physical"}, {"shape", "bf16[<=16,?]{1,0:T(8,128)(*,1)L(64)S(1)SC(0:8)}"}});
  EXPECT_EQ(to_text(*find(with_parsed(request), "parsed")),
            R"({"shape":{"type":"bf16","bits":16,"dims":[16,null],"bounded":[true,false],)"
            R"("minor_to_major":[1,0],"tiles":[[8,128],[null,1]],"tail":64,"memory_space":1,)"
            R"("splits":[{"dimension":0,"points":[8]}],"metadata_bytes":0}})");
  EXPECT_EQ(to_text(*find(with_parsed(json_object({{"shape", "f32["}})), "parsed")),
            R"({"shape":null})");
  EXPECT_EQ(case_hash(with_parsed(request)), case_hash(request));
}

// Both readers must agree. Ours keeps large numbers and rejects deep nesting.
void expect_as_nlohmann_reads(const std::string& text) {
  const absl::StatusOr<JsonText> ours = read_json(text);
  nlohmann::json theirs(nlohmann::json::value_t::discarded);
  try {
    theirs = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error&) {
  } catch (const nlohmann::json::out_of_range&) {
    return;  // a number beyond the range of doubles: not a question of form
  }
  ASSERT_EQ(ours.ok(), !theirs.is_discarded()) << text << "  " << ours.status();
  if (!ours.ok() || ours->duplicate) return;
  EXPECT_EQ(nlohmann::json::parse(to_text(ours->value)), theirs) << text;
}

TEST(Protocol, ReadsEditedTextsAsNlohmannDoes) {
  const std::vector<std::string> texts = {
      R"({"id": 7, "op": "layout.linearize", "index": [2, -3.5e-1], "x": {"y": null}})",
      R"([true, false, null, "\u00e4\ud83d\ude00\/\b", 0, -0, 1E+2, 123456789012345])",
      "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"", " {\"a\":[],\"b\":{},\"c\":[[[]]]}\r\n"};
  const std::string alphabet = "{}[]\",:\\u0123456789eE+-.tfn ad\n\x80\xc3\xed\xf0";
  int64_t valid = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Choose choose(Choose::Random{seed});
    std::string text = choose.pick(texts);
    for (int64_t edits = choose(3); edits > 0; --edits) {
      const size_t at = choose(std::ssize(text));
      const char c = alphabet[choose(std::ssize(alphabet))];
      choose.chance(1, 3) ? text.insert(at, 1, c) : text.replace(at, 1, 1, c);
    }
    expect_as_nlohmann_reads(text);
    valid += read_json(text).ok() ? 1 : 0;
  }
  EXPECT_GT(valid, 5'000);
  EXPECT_LT(valid, 15'000);
}

TEST(Protocol, KeepsTheInexactListBesideAResult) {
  absl::StatusOr<Answer> read = read_answer(R"({"id":1,"result":[],"inexact":["0","2"]})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(to_text(*read), R"({"id":1,"result":[],"inexact":["0","2"]})");
  ASSERT_TRUE(integers_from_strings(*read).ok());
  EXPECT_EQ(to_text(read->inexact), "[0,2]");
  EXPECT_TRUE(read_answer(R"({"id":1,"result":[]})")->inexact.is_null());
  EXPECT_EQ(to_text(result_answer(Json(1), Json::Array{})), R"({"id":1,"result":[]})");
  absl::StatusOr<Answer> bare = read_answer(R"({"id":1,"result":[],"inexact":[0]})");
  EXPECT_FALSE(integers_from_strings(*bare).ok());
}

// Expects one answer with the request's id that the judge accepts, as the fuzz target does.
void expect_right(absl::string_view line, Engine engine) {
  const std::string text = answer_line(line, engine);
  const absl::StatusOr<Answer> answer = read_answer(text);
  ASSERT_TRUE(answer.ok()) << line << ": " << text << ": " << answer.status();
  const auto request = read_request(line);
  const auto* good = std::get_if<Request>(&request);
  if (good == nullptr) {
    EXPECT_EQ(answer->kind, Answer::Kind::kError) << line << ": " << text;
    return;
  }
  EXPECT_EQ(answer->id, good->id) << line << ": " << text;
  const Judgment judgment = judge(good->fields, *answer);
  EXPECT_FALSE(fails(judgment.verdict))
      << line << ": " << text << ": " << to_text(judgment.verdict);
}

TEST(ProtocolCorpus, PastFindingsStayFixed) {
  int64_t lines = 0;
  for (const std::string& line : project_lines("corpus/protocol/regressions.jsonl")) {
    for (const Engine engine : {Engine::kImpl, Engine::kSpec}) expect_right(line, engine);
    ++lines;
  }
  EXPECT_GT(lines, 10);
}

}  // namespace
}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// Requests of corpus/protocol/judged.jsonl: what we answer, and what the judge says of other answers.
//
//     {"request":..,"answer":{"result":17}}         both engines answer this; "by":"impl": this one
//     {"request":..,"says":"column 5"}              the answer has this text
//     {"request":..,"given":{"result":13},"verdict":"wrong","says":"17"}
//                                                   the judgment of an answer, and a text in it
#include <string>

#include "conform/judge/judge.h"
#include "conform/oracle/oracle.h"
#include "corpus/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

using ::testing::HasSubstr;

std::string says(const Json& row) {
  const auto* text = find_as<std::string>(row, "says");
  return text == nullptr ? "" : *text;
}

void expect_answer(const Json& row, Engine engine) {
  const Json request = with_id(Json(1), *find(row, "request"));
  Json answer = read_json(answer_line(to_text(request), engine))->value;
  EXPECT_EQ(*find(answer, "id"), Json(1));
  remove(answer, "id");
  EXPECT_THAT(to_text(answer), HasSubstr(says(row)));
  const Json* expected = find(row, "answer");
  EXPECT_EQ(to_text(answer), to_text(expected == nullptr ? answer : *expected));
}

void expect_judgment(const Json& row) {
  const absl::StatusOr<Answer> given = read_answer(to_text(with_id(Json(1), *find(row, "given"))));
  ASSERT_TRUE(given.ok()) << given.status();
  const Judgment judgment = judge(*find(row, "request"), *given);
  EXPECT_EQ(to_text(judgment.verdict), *find_as<std::string>(row, "verdict"));
  const bool is_counted =
      judgment.verdict == Verdict::kUnsupported || judgment.verdict == Verdict::kUndecided;
  EXPECT_THAT(is_counted ? judgment.reason : judgment.right, HasSubstr(says(row)));
}

TEST(Judged, EachRowHolds) {
  int64_t answers = 0, judgments = 0;
  for (const std::string& line : project_lines("corpus/protocol/judged.jsonl")) {
    SCOPED_TRACE(line);
    const Json row = read_json(line)->value;
    if (find(row, "given") != nullptr) {
      ++judgments;
      expect_judgment(row);
      continue;
    }
    ++answers;
    const auto* by = find_as<std::string>(row, "by");
    if (by == nullptr || *by == "spec") expect_answer(row, Engine::kSpec);
    if (by == nullptr || *by == "impl") expect_answer(row, Engine::kImpl);
  }
  EXPECT_GT(answers, 100);
  EXPECT_GT(judgments, 200);
}

}  // namespace
}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// Answers equal the golden answers.
#include "verify/golden/golden.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "verify/trace/trace_check.h"

namespace tileproof::verify {
namespace {

class GoldenTest : public testing::TestWithParam<absl::string_view> {};

TEST_P(GoldenTest, EveryAnswerIsUnchanged) {
  const std::string path = project_path(absl::StrCat("corpus/golden/", GetParam()));
  const auto entries = read_golden(path);
  ASSERT_TRUE(entries.ok()) << entries.status();
  int64_t answers = 0;
  for (const GoldenAnswer& entry : *entries) {
    if (is_comment(entry)) continue;
    ++answers;
    EXPECT_EQ(answer_to(entry.question), entry.answer)
        << entry.question << "if this change is intended: update_golden " << path;
  }
  EXPECT_GE(answers, 10);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTest, testing::ValuesIn(kGoldenFiles), [](const auto& file) {
  return std::string(file.param.substr(0, file.param.find('.')));
});

// The reference decides: golden answers must be right, too.
TEST(GoldenAnswer, AnswersAgreeWithTheReference) {
  int64_t compared = 0;
  for (const char* file : {"counts.txt", "examples.txt", "families.txt", "mutants.txt", "hlo.txt",
                           "layouts.txt", "loops.txt", "refused.txt", "selects.txt"}) {
    const auto entries = read_golden(project_path(absl::StrCat("corpus/golden/", file)));
    ASSERT_TRUE(entries.ok()) << entries.status();
    for (const GoldenAnswer& entry : *entries) {
      EXPECT_EQ(difference_from_reference(entry.question), "") << entry.question;
      compared += is_comment(entry) ? 0 : 1;
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(GoldenAnswer, TheCheckerAcceptsTheTraces) {
  for (const char* file : {"mutants.txt", "steps.txt", "traces.txt"}) {
    const auto entries = read_golden(project_path(absl::StrCat("corpus/golden/", file)));
    ASSERT_TRUE(entries.ok()) << entries.status();
    for (const GoldenAnswer& entry : *entries) {
      if (!entry.question.starts_with("trace ")) continue;
      const absl::StatusOr<trace::Checked> checked = trace::check_trace(entry.answer);
      EXPECT_TRUE(checked.ok()) << entry.question << checked.status();
    }
  }
}

TEST(GoldenAnswer, FilesAreWrittenAsTheyWereRead) {
  const auto entries = read_golden(project_path("corpus/golden/refused.txt"));
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_TRUE(is_comment(entries->front()));
  EXPECT_NE(to_text(*entries).find("\n\nindex\n"), std::string::npos);
}

}  // namespace
}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Answers equal the golden answers.
#include "verify/golden/golden.h"

#include <gtest/gtest.h>

#include <string>

#include "corpus/paths.h"
#include "verify/trace/trace_check.h"

namespace tileproof::verify {
namespace {

// The reference decides: golden answers must be right, too.
TEST(GoldenAnswer, AnswersAgreeWithTheReference) {
  int64_t compared = 0;
  for (const char* file : {"counts.txt", "examples.txt", "families.txt", "mutants.txt", "hlo.txt",
                           "layouts.txt", "loops.txt", "refused.txt", "selects.txt"}) {
    for (const GoldenAnswer& entry : golden_answers(file)) {
      EXPECT_EQ(difference_from_reference(entry.question), "") << entry.question;
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(GoldenAnswer, TheCheckerAcceptsTheTraces) {
  for (const char* file : {"mutants.txt", "steps.txt", "traces.txt"}) {
    EXPECT_FALSE(golden_answers(file).empty()) << file;
    for (const GoldenAnswer& entry : golden_answers(file)) {
      if (!entry.question.starts_with("trace ")) continue;
      const absl::StatusOr<trace::Checked> checked = trace::check_trace(entry.answer);
      EXPECT_TRUE(checked.ok()) << entry.question << checked.status();
    }
  }
}

TEST(GoldenAnswer, EveryFileHasAnswers) {  // verify/properties compares them
  for (const absl::string_view file : kGoldenFiles)
    EXPECT_GE(golden_answers(file).size(), 10) << file;
}

TEST(GoldenAnswer, FilesAreWrittenAsTheyWereRead) {
  const auto entries = read_golden(project_path("corpus/golden/refused.txt"));
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_TRUE(is_comment(entries->front()));
  EXPECT_NE(to_text(*entries).find("\n\nindex\n"), std::string::npos);
}

}  // namespace
}  // namespace tileproof::verify

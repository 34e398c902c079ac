// SPDX-License-Identifier: Apache-2.0
// The process here is a shell that answers each line in a way that the line names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "explorer/serve/server.h"

namespace tileproof::explorer {
namespace {

using conform::Milliseconds;
using ::testing::HasSubstr;

constexpr char kScript[] =
    "while read -r line; do case $line in "
    "die) exit 3 ;; silent) sleep 60 ;; half) printf 'half'; exit 0 ;; "
    "*) echo \"$$ $line\" ;; esac; done";

std::vector<std::string> shell() { return {"/bin/sh", "-c", kScript}; }

TEST(WorkerTest, OneProcessAnswersAll) {
  Worker worker(shell(), Milliseconds(20'000));
  const std::string first = *worker.ask("a"), second = *worker.ask("b");
  EXPECT_THAT(first, ::testing::EndsWith(" a"));
  EXPECT_EQ(first.substr(0, first.find(' ')), second.substr(0, second.find(' ')));
}

TEST(WorkerTest, LongLinesPass) {
  Worker worker(shell(), Milliseconds(20'000));
  const std::string line(1 << 20, 'x');
  const absl::StatusOr<std::string> found = worker.ask(line);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(*found, ::testing::EndsWith(line));
}

TEST(WorkerTest, ADeadProcessIsAnErrorAndTheNextQuestionIsAnswered) {
  Worker worker(shell(), Milliseconds(20'000));
  EXPECT_THAT(worker.ask("die").status().message(), HasSubstr("status 3"));
  EXPECT_TRUE(worker.ask("a").ok());
  EXPECT_FALSE(worker.ask("half").ok());
  EXPECT_TRUE(worker.ask("a").ok());
}

TEST(WorkerTest, ASlowAnswerIsAnErrorAndTheNextQuestionIsAnswered) {
  Worker worker(shell(), Milliseconds(2000));
  EXPECT_TRUE(absl::IsDeadlineExceeded(worker.ask("silent").status()));
  EXPECT_TRUE(worker.ask("a").ok());
}

TEST(WorkerTest, AMissingProgramIsAnError) {
  Worker worker({"/no/such/program"}, Milliseconds(1000));
  EXPECT_FALSE(worker.ask("a").ok());
}

}  // namespace
}  // namespace tileproof::explorer

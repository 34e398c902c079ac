// SPDX-License-Identifier: Apache-2.0
// Prefetched questions are the cases of the suite in their order, and their texts mean the same
// requests.
#include "conform/run/questions.h"

#include <atomic>
#include <string>
#include <vector>

#include "conform/judge/judge.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

TEST(Prefetch, KeepsTheOrder) {
  Prefetch<int> numbers([n = 0]() mutable { return n < 5000 ? std::optional(n++) : std::nullopt; });
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(numbers.next(), i);
  EXPECT_EQ(numbers.next(), std::nullopt);
  EXPECT_EQ(numbers.next(), std::nullopt);
}

TEST(Prefetch, EndsAlthoughItsFunctionNeverDoes) {
  std::atomic<int> made = 0;
  {
    Prefetch<int> numbers([&made]() { return std::optional(made++); });
    EXPECT_EQ(numbers.next(), 0);
    EXPECT_EQ(numbers.next(), 1);
  }
  const int then = made;
  EXPECT_LE(then, 2000);
  EXPECT_EQ(made, then);
}

Hello hello_with_bits(int64_t bits) {
  Hello hello;
  if (bits < 64) hello.limits.bits = bits;
  return hello;
}

TEST(Questions, AreTheCasesOfTheSuiteInOrder) {
  for (const Suite& suite : suites()) {
    for (const int64_t bits : {32, 64}) {
      SCOPED_TRACE(std::string(suite.name));
      ConformOptions options;
      options.seed = 2;
      options.count = 300;
      const Hello hello = hello_with_bits(bits);
      Questions questions(options, suite, hello, {});
      Cases cases(suite, options.seed, hello.limits);
      for (int64_t i = 0; i < *options.count; ++i) {
        const std::optional<Case> made = cases.next();
        const std::optional<Question> question = questions.next();
        ASSERT_TRUE(made && question);
        ASSERT_EQ(case_id(question->id), case_id(case_hash(made->request)));
        ASSERT_EQ(question->ticket.random, made->random);
        ASSERT_EQ(questions.not_asked().beyond, cases.not_asked().beyond);
        ASSERT_EQ(questions.not_asked().unnamed, cases.not_asked().unnamed);
        ASSERT_EQ(read_json(question->ticket.request)->value, made->request)
            << question->ticket.request;
      }
      EXPECT_FALSE(questions.next());
    }
  }
}

TEST(Questions, ExpectAnswersThatPassTheJudge) {
  int64_t results = 0, errors = 0;
  for (const Suite& suite : suites()) {
    Cases cases(suite, 3, {});
    for (int i = 0; i < 300; ++i) {
      const Json request = cases.next()->request;
      const Ticket ticket = question_about(request, {}).ticket;
      ASSERT_FALSE(ticket.error_expected && !ticket.expected.empty());
      if (ticket.error_expected) {
        ++errors;
        const Answer answer = failed_answer(1, absl::InvalidArgumentError("no"));
        EXPECT_EQ(to_text(judge(request, answer).verdict), "pass") << to_text(request);
      }
      if (!ticket.expected.empty()) {
        ++results;
        const absl::StatusOr<Answer> answer =
            read_answer("{\"id\":1,\"result\":" + ticket.expected + "}");
        ASSERT_TRUE(answer.ok()) << ticket.expected;
        EXPECT_EQ(to_text(judge(request, *answer).verdict), "pass") << to_text(request);
      }
    }
  }
  EXPECT_GT(results, 700);
  EXPECT_GT(errors, 100);
}

TEST(Questions, AreThoseOfTheShardOrThoseWantedById) {
  ConformOptions options;
  options.count = 500;
  const Suite& suite = *suite_named("layout");
  std::vector<uint64_t> ids;
  Questions all(options, suite, {}, {});
  while (const std::optional<Question> question = all.next()) ids.push_back(question->id);
  ASSERT_EQ(ids.size(), 500);

  options.shards = 3;
  for (options.shard = 0; options.shard < 3; ++options.shard) {
    Questions some(options, suite, {}, {});
    for (auto i = static_cast<size_t>(options.shard); i < ids.size(); i += 3) {
      ASSERT_EQ(some.next()->id, ids[i]);
    }
    EXPECT_FALSE(some.next());
  }
  options.cases = {case_id(ids[499])};
  Questions one(options, suite, {}, {options.cases.begin(), options.cases.end()});
  EXPECT_EQ(one.next()->id, ids[499]);
  EXPECT_FALSE(one.next());
}

}  // namespace
}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// The parts of a run: the pipeline, the questions and the screen.
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "conform/judge/judge.h"
#include "conform/oracle/oracle.h"
#include "conform/run/crew.h"
#include "conform/run/questions.h"
#include "conform/run/screening.h"
#include "conform/suites/suites.h"
#include "corpus/paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {

namespace {

Ticket ticket_about(const Json& request, size_t number) {
  return {.purpose = {Purpose::Kind::kQuestion, number}, .request = to_text(request)};
}

TEST(Crew, TakesJudgedOutcomesInTheirOrderInTheThreadThatAsks) {
  const auto crew = Crew::start({build_path("bin/tileproof"), "respond"}, Milliseconds(20'000), 1);
  ASSERT_TRUE(crew.ok()) << crew.status();
  const std::thread::id here = std::this_thread::get_id();
  for (const char* suite : {"layout", "simplify", "hlo"}) {
    Cases cases(*suite_named(suite), 1, {});
    size_t made = 0, taken = 0;
    const auto next = [&]() -> std::optional<Ticket> {
      EXPECT_EQ(std::this_thread::get_id(), here);
      if (made == 150) return std::nullopt;
      return ticket_about(cases.next()->request, made++);
    };
    const auto take = [&](const Judged& one) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      EXPECT_EQ(one.purpose.number, taken++);
      EXPECT_EQ(to_text(one.judgment.verdict), "pass") << to_text(one.request);
    };
    EXPECT_TRUE((*crew)->ask_all(next, take, [](const Ticket&) { return true; }).ok());
    EXPECT_EQ(taken, 150u) << suite;
  }
}

// Each second request crashes the program. After the first crash nobody wants the others.
TEST(Crew, SendsNothingAfterACrashThatIsNotWantedAnyMore) {
  const Json harmless = json_object({{"op", "layout.physical"}, {"shape", "f32[2]"}});
  const Json deadly =
      json_object({{"op", "layout.delinearize"}, {"shape", "f32[2]"}, {"offset", 1}});
  for (const int64_t copies : {1, 3}) {
    const auto crew =
        Crew::start({build_path("bin/misbehave"), "crash"}, Milliseconds(20'000), copies);
    ASSERT_TRUE(crew.ok()) << crew.status();
    int64_t crashes = 0, passed = 0;
    const auto is_wanted = [&](const Ticket& ticket) {
      return crashes == 0 || ticket.request == to_text(harmless);
    };
    size_t made = 0;
    const auto next = [&]() -> std::optional<Ticket> {
      if (made == 400) return std::nullopt;
      const bool kills = made > 200 && made % 2 == 1 && crashes == 0;
      return ticket_about(kills ? deadly : harmless, made++);
    };
    const auto take = [&](const Judged& one) {
      ++(one.judgment.verdict == Verdict::kPass ? passed : crashes);
    };
    EXPECT_TRUE((*crew)->ask_all(next, take, is_wanted).ok());
    EXPECT_GE(crashes, 1);
    EXPECT_LE(crashes, copies);
    EXPECT_GE(passed, 300);
  }
}

// Questions are the cases of the suite in their order, and their texts mean the same requests.

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

// Which features requests have, and which one is left out after a program died five times.

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names_of(FeatureSet features) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kScreenedFeatures.size(); ++i) {
    if ((features >> i) & 1) names.emplace_back(kScreenedFeatures[i]);
  }
  return names;
}

std::string about_map(const std::string& map) {
  return R"({"op":"map.simplify","map":")" + map + R"("})";
}

std::string about_layout(const std::string& shape) {
  return R"({"op":"layout.physical","shape":")" + shape + R"("})";
}

TEST(Screening, FindsTheFeaturesOfARequest) {
  const auto of = [](const std::string& request) { return names_of(screened_features(request)); };
  EXPECT_THAT(of(about_map("(d0) -> (d0 floordiv 2), domain: d0 in [-1, 5]")), IsEmpty());
  EXPECT_THAT(of(about_map("(d0) -> (d0 ceildiv 2), domain: d0 in [0, 5]")),
              ElementsAre("ceildiv"));
  EXPECT_THAT(of(about_map("(d0) -> (d0 mod 0), domain: d0 in [0, 5]")),
              ElementsAre("zero divisor"));
  EXPECT_THAT(of(about_map("(d0) -> (d0 mod 05), domain: d0 in [0, 5]")), IsEmpty());
  EXPECT_THAT(of(about_map("(d0) -> (d0 floordiv -3), domain: d0 in [0, 5]")),
              ElementsAre("negative divisor"));
  EXPECT_THAT(of(about_map("(d0) -> (d0 mod (d0 + 1)), domain: d0 in [0, 5]")),
              ElementsAre("compound divisor"));
  EXPECT_THAT(of(about_map("(d0) -> (d0), domain: d0 in [0, 9223372036854775807]")),
              ElementsAre("int64 extremes"));
  EXPECT_THAT(of(about_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 5], rt0 in [0, 1]")),
              ElementsAre("runtime variables"));
  EXPECT_THAT(of(about_layout("f32[3,5]{1,0:T(2,2)}")), IsEmpty());
  EXPECT_THAT(of(about_layout("bf16[4,8]{1,0:T(2,4)(2,1)}")), ElementsAre("several tiles"));
  EXPECT_THAT(of(about_layout("f32[4,6]{1,0:T(*,8)}")), ElementsAre("combined dimensions"));
}

// Each feature alone: a program that dies of it is asked on without it.
TEST(Screening, LeavesOutTheFeatureThatExplainsTheDeaths) {
  for (size_t i = 0; i < kScreenedFeatures.size(); ++i) {
    const FeatureSet feature = FeatureSet{1} << i;
    Screen screen;
    screen.answered(0);
    for (int death = 0; death < kStopAfter; ++death) {
      EXPECT_TRUE(screen.wants(feature));
      EXPECT_EQ(screen.died(feature, "signal 6"), "");
    }
    EXPECT_FALSE(screen.wants(feature));
    EXPECT_TRUE(screen.wants(0));
    const std::vector<ScreenedFeature> screened = screen.screened("simplify");
    ASSERT_EQ(screened.size(), 1u);
    EXPECT_EQ(screened[0].feature, std::string(kScreenedFeatures[i]));
    EXPECT_EQ(screened[0].why, "5 times: signal 6");
    EXPECT_EQ(screened[0].requests, 1);
  }
}

TEST(Screening, StopsIfARequestWithTheFeatureWasAnswered) {
  Screen screen;
  screen.answered(1);
  std::string why;
  for (int death = 0; death < kStopAfter; ++death) why = screen.died(1, "signal 6");
  EXPECT_THAT(why, HasSubstr("after 5 times: signal 6"));
  EXPECT_TRUE(screen.wants(1));
}

TEST(Screening, CountsDeathsOfDifferentKindsApart) {
  Screen screen;
  for (int death = 0; death + 1 < kStopAfter; ++death) {
    EXPECT_EQ(screen.died(0, "signal 6"), "");
    EXPECT_EQ(screen.died(0, "no answer in 2 s"), "");
  }
  EXPECT_NE(screen.died(0, "signal 6"), "");
}

}  // namespace

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// The bounded families have the documented sizes, our own answers pass them, and they catch
// known-wrong implementations of the bug zoo.
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conform/judge/judge.h"
#include "conform/oracle/oracle.h"
#include "conform/suites/makers.h"
#include "conform/suites/suites.h"
#include "conform/zoo/zoo.h"
#include "generate/hlo/bounded_hlo.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tileproof::conform {
namespace {

int64_t size_of(const char* suite) {
  const auto next = suite_named(suite)->family();
  int64_t count = 0;
  while (next()) ++count;
  return count;
}

TEST(Families, HaveTheDocumentedSizes) {  // docs/protocol.md has these numbers
  EXPECT_EQ(bounded_expressions().size(), 6171);
  EXPECT_EQ(size_of("map"), 246780);
  EXPECT_EQ(size_of("simplify"), 24957);
  EXPECT_EQ(size_of("compose"), 1444);
  EXPECT_EQ(size_of("equal"), 5776);
  EXPECT_EQ(size_of("hlo"), 19512);
}

TEST(Families, OfHloAreValidWithoutDuplicates) {
  for (const BoundedHlo& operations : bounded_hlo_kinds()) {
    std::set<std::string> seen;
    for (Odometer odometer; !odometer.done(); odometer.advance()) {
      Choose choose(&odometer);
      const std::string hlo = operations.make(choose);
      ASSERT_TRUE(seen.insert(hlo).second) << hlo;
      const Request request{Json(1), "hlo.index", hlo_question(hlo, "instruction")};
      const Answer given = answer(request, Engine::kSpec);
      ASSERT_NE(given.kind, Answer::Kind::kError) << given.why << " " << hlo;
    }
    EXPECT_GT(seen.size(), 40) << operations.kind;
  }
}

Request as_request(const Json& request) {
  return {Json(1), *find(request, "op")->as<std::string>(), request};
}

// Calls go_on with every n-th request of a family until it returns false.
void for_some(const Suite& suite, int64_t n, const std::function<bool(const Json&)>& go_on) {
  const auto next = suite.family();
  for (int64_t i = 0; const std::optional<Json> request = next(); ++i) {
    if (i % n == 0 && !go_on(*request)) return;
  }
}

TEST(Families, OurAnswersPass) {
  for (const Suite& suite : suites()) {
    if (suite.family == nullptr) continue;
    const int64_t step = suite.name == "equal" || suite.name == "simplify" ? 97 : 331;
    for_some(suite, step, [](const Json& request) {
      for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
        const Judgment judgment = judge(request, answer(as_request(request), engine));
        const bool fine = judgment.verdict == Verdict::kPass ||
                          (engine == Engine::kSpec && judgment.verdict == Verdict::kUnsupported);
        EXPECT_TRUE(fine) << to_text(judgment.verdict) << " " << to_text(request);
      }
      return true;
    });
  }
}

bool caught(const zoo::Entry& entry, const Suite& suite) {
  bool found = false;
  for_some(suite, 1, [&](const Json& request) {
    const Request question = as_request(request);
    if (question.op != entry.operation) return true;
    const zoo::Reaction reaction = zoo::react(entry, question);
    found = reaction.signal != 0;
    if (!found && to_text(reaction.answer) != to_text(answer(question, Engine::kImpl))) {
      found = fails(judge(request, reaction.answer).verdict);
    }
    return !found;
  });
  return found;
}

TEST(Families, CatchBugsOfTheZooWithoutRandomRequests) {
  const std::pair<const char*, std::vector<const char*>> kCaught[] = {
      {"map", {"TVM-35", "OPEN-23"}},
      {"simplify",
       {"XLA-SIMP-03", "TVM-10", "TVM-23", "TVM-24", "TVM-32", "TG-01", "TG-04", "TG-11", "TG-12",
        "OPEN-05", "FACT-C3", "FACT-C5"}},
      {"hlo",
       {"XLA-AN-TR-01", "XLA-AN-RS-01", "XLA-LAY-07", "XLA-ISS-05", "TL-01", "FACT-PAD-VALUE",
        "FACT-DUS-OPERAND", "FACT-DUS-UPDATE", "FACT-RT-RANGE"}},
  };
  for (const auto& [suite, entries] : kCaught) {
    for (const char* id : entries) {
      EXPECT_TRUE(caught(*zoo::entry_named(id), *suite_named(suite))) << id;
    }
  }
}

}  // namespace
}  // namespace tileproof::conform

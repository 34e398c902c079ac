// SPDX-License-Identifier: Apache-2.0
// The schema of the vectors in corpus/vectors is the current one, their answers are right, and both
// engines pass them. docs/schema/schema_test.py validates them.
#include "conform/report/vectors.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/oracle/oracle.h"
#include "conform/run/conform.h"
#include "conform/suites/suites.h"
#include "corpus/files.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tileproof::conform {
namespace {

using Value = nlohmann::json;

std::vector<std::string> lines_of(const Suite& suite) {
  return project_lines(absl::StrCat("corpus/vectors/", suite.name, ".jsonl"));
}

TEST(Vectors, TheCorpusHasTheCurrentSchema) {
  EXPECT_EQ(to_text(vector_schema()) + "\n", project_text("corpus/vectors/schema.json"))
      << "tileproof generate --schema > corpus/vectors/schema.json";
}

TEST(Vectors, FlagsAndVariationsHaveUniqueNames) {
  std::set<absl::string_view> names;
  for (const auto& table : {vector_flags(), vector_variations()}) {
    for (const Defined& entry : table) {
      EXPECT_TRUE(names.insert(entry.name).second) << std::string(entry.name);
      EXPECT_FALSE(entry.meaning.empty());
    }
  }
}

TEST(Vectors, BothEnginesPassEveryLine) {
  std::set<std::string> flags, variations;
  for (const Suite& suite : suites()) {
    const std::vector<std::string> lines = lines_of(suite);
    EXPECT_GT(lines.size(), 100u) << std::string(suite.name);
    for (const std::string& line : lines) {
      SCOPED_TRACE(line);
      const Value value = Value::parse(line);
      Json request = read_json(line)->value;
      const Json id = *find(request, "id");
      Json written = *find(request, "answer");
      const bool valid = *find(request, "valid") == Json(true);
      EXPECT_EQ(valid, find(written, "error") == nullptr);
      for (const Value& flag : value["flags"]) flags.insert(flag);
      variations.insert(value["variation"].get<std::string>());
      remove_vector_keys(request);
      remove(request, "id");
      EXPECT_EQ(case_id(case_hash(request)), value["case"].get<std::string>());
      const absl::StatusOr<Answer> answer = read_answer(to_text(with_id(id, written)));
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_EQ(to_text(judge(request, *answer).verdict), "pass");
      const Request asked{id, value["op"].get<std::string>(), request};
      for (Engine engine : {Engine::kSpec, Engine::kImpl}) {
        const Answer given = conform::answer(asked, engine);
        const Verdict verdict = judge(request, given).verdict;
        const bool open = engine == Engine::kSpec && verdict == Verdict::kUnsupported;
        EXPECT_TRUE(verdict == Verdict::kPass || open) << to_text(given);
      }
    }
  }
  EXPECT_EQ(flags.size(), vector_flags().size()) << "no vector has some flag";
  EXPECT_EQ(variations.size(), vector_variations().size());
}

TEST(Vectors, HaveNoLineWithoutARightAnswer) {
  const Json request =
      read_json(R"x({"op":"map.simplify","map":"(d0) -> (d0), domain: d0 in [0, 9]"})x")->value;
  EXPECT_TRUE(vector_line(1, request, right_answer(request)).ok());
  const Json none = read_json(R"({"no_example":"the example of Tileproof failed"})")->value;
  EXPECT_EQ(vector_line(1, request, none).status().message(),
            absl::StrCat("the example of Tileproof failed: ", to_text(request)));
}

TEST(Vectors, ServeAsRequestsAndAnswersOfRecordedRuns) {
  std::string requests, answers;
  for (const std::string& line : lines_of(suites()[0])) {
    const Json json = read_json(line)->value;
    requests += line + "\n";
    answers += to_text(with_id(*find(json, "id"), *find(json, "answer"))) + "\n";
  }
  const absl::StatusOr<Report> report = judge_files(requests, answers);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(exit_status(*report), 0) << to_text(*report);
  const Value first = Value::parse(lines_of(suites()[0])[0]);
  EXPECT_EQ(case_id(report->records[0].id), first["case"].get<std::string>());
}

}  // namespace
}  // namespace tileproof::conform

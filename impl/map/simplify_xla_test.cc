// SPDX-License-Identifier: Apache-2.0
// The simplifier compared with XLA's: the cases of XLA's own tests, and long chains of reshapes.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "corpus/files.h"
#include "gtest/gtest.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "nlohmann/json.hpp"
#include "spec/lang/map/map_text.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof {
namespace {

// The number of nodes of all results and constraints.
int64_t size_of(const IndexingMap& map) {
  int64_t size = 0;
  if (map.known_empty) return size;
  for (NodeId result : map.results) size += tree_size(map.nodes, result);
  for (const Constraint& constraint : map.constraints) {
    size += tree_size(map.nodes, constraint.expr);
  }
  return size;
}

absl::StatusOr<IndexingMap> read(const std::string& text) {
  return parse_map(absl::StrReplaceAll(text, {{"\n", " "}}));
}

// The solver proves this independently of the simplifier.
void expect_equal(const IndexingMap& map, const IndexingMap& other, const std::string& line) {
  verify::EqualOptions options;
  options.normal_forms = false;
  options.milliseconds = 30'000;
  const absl::StatusOr<verify::MapEquality> same = verify::equal(map, other, options);
  ASSERT_TRUE(same.ok()) << line << ": " << same.status();
  EXPECT_EQ(same->verdict, verify::Verdict::kProven) << line << ": " << same->open;
}

bool is_suspect(const nlohmann::json& record) {
  for (const auto& flag : record["flags"]) {
    if (flag.get<std::string>().starts_with("xla_expectation_suspect")) return true;
  }
  return false;
}

// The simplified map equals the original, and is no longer than XLA's answer, which is equal, too.
void expect_no_longer(const IndexingMap& map, const std::string& expected, const std::string& id) {
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
  ASSERT_TRUE(simplified.ok()) << id << ": " << simplified.status();
  const std::string line = absl::StrCat(id, ": ", to_text(map), "  ->  ", to_text(*simplified));
  expect_equal(map, *simplified, line);
  if (expected == "KNOWN EMPTY") {
    EXPECT_TRUE(simplified->known_empty) << line;
    return;
  }
  const absl::StatusOr<IndexingMap> theirs = read(expected);
  ASSERT_TRUE(theirs.ok()) << id << ": " << theirs.status();
  EXPECT_LE(size_of(*simplified), size_of(*theirs)) << line << "; XLA: " << to_text(*theirs);
  expect_equal(*simplified, *theirs, absl::StrCat(line, "; XLA: ", to_text(*theirs)));
}

TEST(SimplifyXla, AnswersForXlaTestCasesAreNoLongerThanThoseOfXla) {
  const std::vector<std::string> lines = project_lines("../shared/data/xla_cases.jsonl");
  if (lines.empty()) GTEST_SKIP() << "no xla_cases.jsonl beside the project";
  int cases = 0;
  for (const std::string& line : lines) {
    const nlohmann::json record = nlohmann::json::parse(line);
    if (is_suspect(record)) continue;  // XLA's answer contradicts the definition
    const auto id = record["id"].get<std::string>();
    if (record["op"] == "simplify") {
      const absl::StatusOr<IndexingMap> map = read(record["input"]);
      ASSERT_TRUE(map.ok()) << id << ": " << map.status();
      expect_no_longer(*map, record["expected"], id);
    } else if (record["op"] == "compose" && record["expected_after_simplify"].is_string()) {
      const absl::StatusOr<IndexingMap> first = read(record["first"]);
      const absl::StatusOr<IndexingMap> second = read(record["second"]);
      ASSERT_TRUE(first.ok() && second.ok()) << id;
      const absl::StatusOr<IndexingMap> composed = impl::compose(*first, *second);
      ASSERT_TRUE(composed.ok()) << id << ": " << composed.status();
      expect_no_longer(*composed, record["expected_after_simplify"], id);
    } else {
      continue;
    }
    ++cases;
  }
  EXPECT_GE(cases, 14);
}

// Here XLA's rules once gave a shorter map (corpus/maps/longer_than_xla.txt).
TEST(SimplifyXla, AnswersAreNoLongerThanThoseOfXlaWhereTheyOnceWere) {
  const std::vector<std::string> lines = project_lines("corpus/maps/longer_than_xla.txt");
  ASSERT_EQ(lines.size(), 2 * 13);
  for (size_t i = 0; i < lines.size(); i += 2) {
    const absl::StatusOr<IndexingMap> map = parse_map(lines[i]);
    ASSERT_TRUE(map.ok()) << lines[i] << ": " << map.status();
    expect_no_longer(*map, lines[i + 1], absl::StrCat("map ", i / 2 + 1));
  }
}

TEST(SimplifyXla, LongChainsAreProvenEqualAndShrink) {
  const std::vector<std::string> lines = project_lines("../shared/data/maps_synth.txt");
  if (lines.empty()) GTEST_SKIP() << "no maps_synth.txt beside the project";
  int64_t before = 0, after = 0;
  for (const std::string& line : lines) {
    const absl::StatusOr<IndexingMap> map = parse_map(line);
    ASSERT_TRUE(map.ok()) << line << ": " << map.status();
    const absl::StatusOr<IndexingMap> simplified = impl::simplify(*map);
    ASSERT_TRUE(simplified.ok()) << line << ": " << simplified.status();
    expect_equal(*map, *simplified, line);
    before += size_of(*map);
    after += size_of(*simplified);
  }
  EXPECT_EQ(lines.size(), 150);
  EXPECT_LT(after * 4, before);
}

}  // namespace
}  // namespace tileproof

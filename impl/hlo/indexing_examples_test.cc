// SPDX-License-Identifier: Apache-2.0
// The examples of XLA's document on indexing analysis, and XLA's own test cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "corpus/golden.h"
#include "corpus/paths.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_testing.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// A line `operand: map` for each simplified map, without sources. Sorted, as a union has no order.
std::string maps_of(const absl::StatusOr<Indexing>& indexing) {
  if (!indexing.ok()) return absl::StrCat("error: ", indexing.status().message());
  std::vector<std::string> lines;
  for (size_t k = 0; k < indexing->size(); ++k) {
    for (const LeafMaps& list : (*indexing)[k]) {
      for (const IndexedMap& one : list.maps) {
        lines.push_back(absl::StrCat(k, ": ", to_text(simplify(one.map).value()), "\n"));
      }
    }
  }
  std::ranges::sort(lines);
  return absl::StrJoin(lines, "");
}

std::string maps_of_root(const std::string& text, int32_t leaf = 0) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const int32_t root = module.computations[module.entry].root;
  return maps_of(analysis.reads(module.entry, root, leaf));
}

// The same from an operand to each leaf of the root: a line `leaf: map`.
std::string maps_from_operand(const std::string& text, int32_t operand) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const int32_t root = module.computations[module.entry].root;
  const auto found = analysis.reached(module.entry, root, operand);
  if (!found.ok()) return maps_of(found.status());
  Indexing leaves;
  for (const LeafMaps& list : *found) leaves.push_back({list});
  return maps_of(leaves);
}

// The same for expected maps. These may be written in any form, since they are simplified, too.
std::string simplified_lines(absl::string_view expected) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(expected, '\n', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    const IndexingMap simple = simplify(parse_map(parts.second).value()).value();
    lines.push_back(absl::StrCat(parts.first, ": ", to_text(simple), "\n"));
  }
  std::ranges::sort(lines);
  return absl::StrJoin(lines, "");
}

// Removes the declarations of runtime variables from maps that do not use them, as XLA does.
std::string without_runtime(const std::string& text) {
  std::string result;
  for (const absl::string_view part : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::string line(part);
    const size_t colon = line.find(": ");
    IndexingMap map = parse_map(line.substr(colon + 2)).value();
    bool used = false;
    for (const Node& node : map.nodes) used = used || node.op == Op::kRuntime;
    if (!used) map.runtime.clear();
    absl::StrAppend(&result, line.substr(0, colon), ": ", to_text(map), "\n");
  }
  return result;
}

TEST(IndexingTest, ExamplesOfTheDocument) {
  const auto examples = read_golden(project_path("corpus/xla/document.txt"));
  ASSERT_TRUE(examples.ok()) << examples.status();
  for (const GoldenAnswer& example : *examples) {
    if (is_comment(example)) continue;
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(example.question, absl::MaxSplits('\n', 1));
    absl::string_view asked = parts.first;
    const bool reads = absl::ConsumePrefix(&asked, "reads of leaf ");
    int32_t number = -1;
    ASSERT_TRUE(reads || absl::ConsumePrefix(&asked, "reached from operand ")) << parts.first;
    ASSERT_TRUE(absl::SimpleAtoi(asked, &number)) << parts.first;
    EXPECT_EQ(reads ? maps_of_root(parts.second, number) : maps_from_operand(parts.second, number),
              simplified_lines(example.answer))
        << example.question;
  }
}

// XLA's own cases, if they are available. `differences` has the cases with other answers, and why.
TEST(IndexingTest, CasesOfXla) {
  const std::map<std::string, std::string> differences = {
      {"IndexingAnalysisTest.PhysicalLayoutTestOutputPermutation#o2i0",
       "asks for physical positions: see PhysicalPositions in impl/hlo/reshape_indices_test.cc"},
      {"IndexingAnalysisTest.DynamicUpdateSliceOp",
       "operand 0 over the whole output, and indices outside the update"},
      {"IndexingAnalysisTest.FusionWithRTVarsSimplification_ScalarConstantOutsideOfRangeIsKept",
       "a known offset is clamped here"},
  };
  std::ifstream file(project_path("../shared/data/xla_cases.jsonl"));
  if (!file) GTEST_SKIP() << "no ../shared beside the checkout";
  int64_t compared = 0, different = 0;
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::json::parse(line);
    if (entry["op"] != "instruction_indexing" || entry["direction"] != "output_to_input") continue;
    const std::string name = entry["id"];
    if (differences.contains(name)) {
      ++different;
      continue;
    }
    ++compared;
    std::string expected;
    for (size_t k = 0; k < entry["expected"].size(); ++k) {
      for (const std::string map : entry["expected"][k]) {
        if (map == "KNOWN EMPTY") continue;
        absl::StrAppend(&expected, k, ": ", absl::StrReplaceAll(map, {{"\n", " "}}), "\n");
      }
    }
    EXPECT_EQ(without_runtime(maps_of_root(entry["hlo"], entry["output_id"])),
              without_runtime(simplified_lines(expected)))
        << name;
  }
  EXPECT_EQ(different, std::ssize(differences));
  EXPECT_GT(compared, 15);
}

}  // namespace
}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Utilization compared with the definition: random programs, and all parts of the corpus modules that
// are small enough to interpret. corpus/golden/counts.txt has examples.

#include "impl/access/utilization.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "corpus/answers_testing.h"
#include "corpus/files.h"
#include "corpus/paths.h"
#include "impl/access/utilization_count.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/indexing.h"
#include "spec/access/utilization.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/lang/hlo/hlo_corpus_testing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/access_compare.h"

namespace tileproof::verify {
namespace {

// Each of two maps may have half of the points; then a few more.
TEST(UtilizationTest, TheMapsOfAUnionShareItsPoints) {
  const auto both = [](int64_t points) {
    const IndexingMap map = *parse_map(
        absl::StrCat("(d0) -> (d0 mod 7, d0 mod 5), domain: d0 in [0, ", points - 1, "]"));
    const auto count = impl::count_union({map, map}, {7, 5}, 1000);
    return count.ok() ? absl::StrCat(*count) : std::string(count.status().message());
  };
  EXPECT_EQ(both(516), "35");
  EXPECT_EQ(both(517), "variables that are tied together have many values");
  const IndexingMap alone = *parse_map("(d0) -> (d0 mod 7, d0 mod 5), domain: d0 in [0, 1015]");
  EXPECT_EQ(impl::count_union({alone}, {7, 5}, 1000).value_or(-1), 35);
}

TEST(UtilizationTest, AnEmptyTupleReadsNothing) {
  const HloModule module = *parse_hlo_module("p = f32[4] parameter(0)\nROOT t = () tuple()");
  impl::IndexingAnalysis analysis(module);
  const auto found = impl::utilization(analysis, module, 0, 1);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->empty());
  const auto of_all = impl::utilization(analysis, module, 0, 1, Scope::kComputation);
  ASSERT_TRUE(of_all.ok()) << of_all.status();
  ASSERT_EQ(of_all->size(), 1u);
  EXPECT_EQ((*of_all)[0][0].most, 0);
  EXPECT_EQ((*of_all)[0][0].elements, 4);
}

TEST(UtilizationTest, RejectsMissingShapesAndLeaves) {
  const HloModule module =
      *parse_hlo_module("p = f32[4] parameter(0)\nq = f32[4] negate(p)\nROOT r = frobnicate(p)");
  const auto missing = absl::InvalidArgumentError("r: expected a shape of the result");
  impl::IndexingAnalysis analysis(module);
  EXPECT_EQ(impl::utilization(analysis, module, 0, 2).status(), missing);
  EXPECT_EQ(impl::sizes_of_result(module, 0, 2, 0).status(), missing);
  for (const int32_t leaf : {1, -1}) {
    EXPECT_EQ(impl::sizes_of_result(module, 0, 1, leaf).status(),
              absl::InvalidArgumentError(absl::StrCat("q: expected a leaf below 1, found ", leaf)));
  }
  const HloModule unknown = *parse_hlo_module("r = f32[?] negate(f32[?] p)");
  EXPECT_EQ(impl::sizes_read(unknown, 0, 1, Scope::kInstruction).status(),
            absl::InvalidArgumentError("expected dimensions of known size, found ?"));
  const auto zero = [](const spec::HloElement&) -> int64_t { return 0; };
  EXPECT_EQ(spec::utilization_at(module, 0, 2, Scope::kInstruction, zero).status(), missing);
  EXPECT_EQ(spec::inverse_provenance(module, 0, 1, 1, Scope::kInstruction, zero).status(),
            absl::InvalidArgumentError("q: expected an input below 1, found 1"));
}

TEST(UtilizationTest, RejectsUnknownInstructions) {
  const HloModule module = *parse_hlo_module("p = f32[4] parameter(0)\nROOT q = f32[4] negate(p)");
  impl::IndexingAnalysis analysis(module);
  for (const auto& [computation, instruction] : {std::pair(0, 2), {0, -1}, {1, 0}, {-1, 0}}) {
    EXPECT_FALSE(impl::utilization(analysis, module, computation, instruction).ok())
        << computation << " " << instruction;
  }
}

// The parser rejects such a shape. If it is made by hand, the number of elements must not wrap.
TEST(UtilizationTest, RejectsAHandMadeShapeWithTooManyElements) {
  HloModule module = *parse_hlo_module("p = f32[4] parameter(0)\nROOT q = f32[4] negate(p)");
  const int64_t half = int64_t{1} << 32;
  const auto huge = absl::OutOfRangeError("p: expected at most 2^63 - 1 elements");
  for (HloInstruction& instruction : module.computations[0].instructions) {
    instruction.shape = SharedShape(make_array(ElementType::kF32, {half, half, 2}));
  }
  EXPECT_EQ(impl::sizes_read(module, 0, 1, Scope::kInstruction).status(), huge);
  EXPECT_EQ(impl::sizes_read(module, 0, 1, Scope::kComputation).status(), huge);
  impl::IndexingAnalysis analysis(module);
  EXPECT_EQ(impl::utilization(analysis, module, 0, 1).status(), huge);
}

TEST(UtilizationTest, CountsRegressionsLikeTheDefinition) {
  const std::string text = project_text("corpus/hlo/regressions.hlo");
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  ASSERT_TRUE(modules.ok()) << modules.status();
  CaseCounts tally;
  for (const HloModule& module : *modules) {
    EXPECT_EQ(utilization_difference(module, module.entry, module.computations[module.entry].root,
                                     1, tally, 100),
              "")
        << to_text(module);
  }
  EXPECT_GT(tally["arrays equal"], 0);
}

// Every instruction, and every operand with elements.
TEST(UtilizationTest, TheModulesOfTheCorpus) {
  int64_t modules = 0, counted = 0, ranges = 0;
  std::map<std::string, int64_t> uncounted;
  for (const std::filesystem::path& path : hlo_files(hlo_corpus())) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(content_of(path));
    ASSERT_TRUE(module.ok()) << path << ": " << module.status();
    ++modules;
    impl::IndexingAnalysis analysis(*module);
    for (int32_t c = 0; c < std::ssize(module->computations); ++c) {
      const auto& instructions = module->computations[c].instructions;
      for (int32_t i = 0; i < std::ssize(instructions); ++i) {
        const std::string where =
            absl::StrCat(path.filename().string(), ": ", to_text(module->computations[c], i));
        const auto found = impl::utilization(analysis, *module, c, i);
        ASSERT_TRUE(found.ok()) << where << "\n  " << found.status();
        for (const auto& operand : *found) {
          for (const impl::ElementsRead& read : operand) {
            if (read.uncounted.empty()) {
              ++counted;
              ranges += read.least < read.most;
              ASSERT_LE(0, read.least) << where;
              ASSERT_LE(read.least, read.most) << where;
              ASSERT_LE(read.most, read.elements) << where;
            } else {
              ++uncounted[read.uncounted];
            }
          }
        }
      }
    }
  }
  int64_t not_counted = 0;
  for (const auto& [why, times] : uncounted) {
    not_counted += times;
    std::cout << times << " " << why << "\n";
  }
  std::cout << modules << " modules, " << counted + not_counted << " arrays read: " << counted
            << " counted (" << ranges << " depend on offsets), " << not_counted << " not counted\n";
  EXPECT_GT(modules, 0);
  EXPECT_GT(counted, 10 * not_counted);
}

// Counting windows at the indices of a list: hand-written maps, and cases without a count.

TEST(UtilizationTest, DoesNotCountHandMadeIndicesBeyond64Bits) {
  const impl::IndexedMap rows{
      *parse_map("(d0){rt0} -> (rt0), domain: d0 in [0, 9], rt0 in [0, 7]"),
      {{{{}, 0, 0},
        *parse_map("(d0) -> (d0 * 4611686018427387904), domain: d0 in [0, 9]"),
        {0, 7}}}};
  EXPECT_EQ(impl::count_with_indices(rows, {8}).status(),
            absl::ResourceExhaustedError("the indices are not counted"));
}

// "least to most", or the reason for no count, for a map whose runtime variables are these elements
// of one array. Also takes the highest values of the variables.
std::string windows_counted(absl::string_view question) {
  const auto [head, text, listed] = parts_of<3>(question, "\n");
  const auto [ends, sizes] = parts_of<2>(head, " of ");
  const std::vector<int64_t> highest = numbers_of(ends);
  const std::vector<std::string> elements = absl::StrSplit(listed, " | ");
  impl::IndexedMap one{*parse_map(text), {}};
  const std::string list = text.substr(0, text.find('{')) + " -> (";
  std::string domain = "), domain: d0 in [0, 99], d1 in [0, 99], d2 in [0, 99]";
  for (absl::string_view range : {"s0", "s1"}) {
    if (absl::StrContains(list, range)) absl::StrAppend(&domain, ", ", range, " in [0, 99]");
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    one.runtime.push_back(
        {{{}, 0, 0}, *parse_map(absl::StrCat(list, elements[i], domain)), {0, highest[i]}});
  }
  const auto count = impl::count_with_indices(one, numbers_of(sizes));
  return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                    : std::string(count.status().message());
}

TEST(UtilizationTest, WindowsLieWhereTheirIndicesMayBe) {
  const impl::IndexedMap rows{
      *parse_map("(d0, d1){rt0} -> (rt0 + d1), domain: d0 in [0, 2], d1 in [0, 1], rt0 in [2, 4]"),
      {{{{}, 0, 0}, *parse_map("(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 1]"), {2, 4}}}};
  const auto count = impl::count_with_indices(rows, {9});
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(count->least, 2);
  EXPECT_EQ(count->most, 4);
}

// Element (1, d1) is the same for all d0: the rows of d0 = 1 use one element for both indices.
TEST(UtilizationTest, DoesNotCountSlicesThatShareIndices) {
  const auto read = [](absl::string_view second) {
    const impl::IndexedMap rows{
        *parse_map("(d0, d1){rt0, rt1} -> (d0, rt0, rt1), domain: d0 in [0, 2], d1 in [0, 3], "
                   "rt0 in [0, 7], rt1 in [0, 7]"),
        {{{{}, 0, 0},
          *parse_map("(d0, d1) -> (d0, d1, 0), domain: d0 in [0, 2], d1 in [0, 3]"),
          {0, 7}},
         {{{}, 0, 0}, *parse_map(second), {0, 7}}}};
    const auto count = impl::count_with_indices(rows, {3, 8, 8});
    return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                      : std::string(count.status().message());
  };
  EXPECT_EQ(read("(d0, d1) -> (d0, d1, 1), domain: d0 in [0, 2], d1 in [0, 3]"), "3 to 12");
  for (const char* other : {"(d0, d1) -> (1, d1, 0), domain: d0 in [0, 2], d1 in [0, 3]",
                            "(d0, d1) -> (d0, d0 + d1, 0), domain: d0 in [0, 2], d1 in [0, 3]"}) {
    EXPECT_EQ(read(other), "several indices may move what is read to one place") << other;
  }
}

TEST(UtilizationTest, WindowsAreCounted) {
  expect_answers("answers/windows.txt", {{"windows", windows_counted}});
}

}  // namespace
}  // namespace tileproof::verify

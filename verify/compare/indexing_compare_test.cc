// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/indexing_compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "spec/hlo/classification.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::verify {
namespace {

using Kind = IndexingComparison::Kind;

// A dimension of size 1 decides an index, and with it, which values an offset can have.
TEST(IndexingCompareTest, UpdatesOfArraysWithADimensionOfOneElementAgree) {
  CaseCounts counts;
  for (uint64_t seed = 0; seed < cases<uint64_t>(300); ++seed) {
    Choose choose(Choose::Random{seed});
    std::string sizes, updated, types, names;
    for (int64_t d = 0, one = choose(3); d < 3; ++d) {
      const int64_t size = d == one ? 1 : choose.between(1, 3);
      absl::StrAppend(&sizes, d == 0 ? "" : ",", size);
      absl::StrAppend(&updated, d == 0 ? "" : ",", choose.between(1, size));
      absl::StrAppend(&names, ", ", choose.pick<std::string>({"s8[] p2", "u16[] p3", "s32[] p4"}));
    }
    const std::string text = absl::StrCat("r = f32[", sizes, "] dynamic-update-slice(f32[", sizes,
                                          "] p0, f32[", updated, "] p1", names, ")");
    const absl::StatusOr<HloModule> module = parse_hlo_module(text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    const int32_t root = module->computations[module->entry].root;
    const RootLimits limits{.exact = true, .reference = {}};
    ASSERT_EQ(indexing_difference(*module, root, {seed, 3}, limits, counts), "") << text;
  }
  EXPECT_GT(counts["equal"], 0);
  EXPECT_EQ(counts["refused"], 0);
}

// Visits every module whose text is `text` with one number replaced.
template <class Visit>
void with_each_number_replaced(const std::string& text, const Visit& visit) {
  for (size_t begin = text.find_first_of("0123456789"), end; begin != std::string::npos;
       begin = text.find_first_of("0123456789", end)) {
    end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    for (const char* number : {"0", "1", "2", "7", "-1", "9223372036854775807"}) {
      visit(text.substr(0, begin) + number + text.substr(end));
    }
    if (end == text.size()) return;
  }
}

// Replaced sizes, dimensions, limits, windows and operands may not fit. Both sides refuse a module
// or neither does, and their answers agree.
TEST(IndexingCompareTest, OperationsWithOneNumberReplacedAgree) {
  int64_t modules = 0, refused = 0, equal = 0;
  for (int64_t kind = 0; kind < operation_kinds(); ++kind) {
    for (uint64_t seed = 0; seed < cases<uint64_t>(20); ++seed) {
      Choose choose(Choose::Random{seed});
      const GeneratedHlo hlo = generate_operation(choose, {.elements = 40}, kind);
      with_each_number_replaced(hlo.text, [&](const std::string& text) {
        const absl::StatusOr<HloModule> module = parse_hlo_module(text);
        if (!module.ok()) return;
        ++modules;
        const int32_t root = module->computations[module->entry].root;
        for (const IndexingQuestion& question :
             questions_about(*module, module->entry, root, /*most_arrays=*/2)) {
          const IndexingComparison result =
              compare_indexing(*module, question, {hlo.seed, hlo.near},
                               {.elements = 1024, .work = 1 << 16, .depth = 50});
          EXPECT_NE(result.kind, Kind::kDifferent) << result.difference << "\n"
                                                   << to_text(question) << "\n"
                                                   << text;
          refused += result.kind == Kind::kRefused;
          equal += result.kind == Kind::kEqual;
        }
      });
    }
  }
  std::cout << modules << " modules, answers: " << equal << " equal, " << refused << " refused\n";
  EXPECT_GT(refused, cases(1000));
  EXPECT_GT(equal, cases(1000));
}

void expect_one_text(const HloModule& module, const IndexingQuestion& q) {
  const bool inverse = q.direction == impl::Direction::kInputToOutput;
  const auto ask = inverse ? spec::inverse_provenance : spec::provenance;
  const auto zero = [](const spec::HloElement&) { return int64_t{0}; };
  EXPECT_EQ(analyzed(module, q).status(),
            ask(module, q.computation, q.instruction, q.array, q.scope, zero, {}).status())
      << to_text(q) << "\n"
      << to_text(module);
}

TEST(IndexingCompareTest, RegressionsAgreeAndReadBackAsPrinted) {
  const std::string text = project_text("corpus/hlo/regressions.hlo");
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  ASSERT_TRUE(modules.ok()) << modules.status();
  std::map<Kind, int64_t> kinds;
  for (const HloModule& module : *modules) {
    const absl::StatusOr<HloModule> again = parse_hlo_module(to_text(module));
    EXPECT_TRUE(again.ok() && *again == module) << to_text(module);
    const int32_t root = module.computations[module.entry].root;
    for (const IndexingQuestion& question : questions_about(module, module.entry, root, 8)) {
      const IndexingComparison result = compare_indexing(module, question, {1, 8});
      EXPECT_NE(result.kind, Kind::kDifferent) << result.difference << "\n"
                                               << to_text(question) << "\n"
                                               << to_text(module);
      ++kinds[result.kind];
      if (result.kind == Kind::kRefused) expect_one_text(module, question);
    }
  }
  EXPECT_GT(kinds[Kind::kEqual], 0);
  EXPECT_GT(kinds[Kind::kRefused], 0);
}

// Returns what both sides say of the root of a module; combines all arrays of its result.
std::string said_of_root(const HloModule& module) {
  const int32_t root = module.computations[module.entry].root;
  using Said = spec::Classification::Kind;
  const spec::Classification reference = spec::classify(module)[module.entry][root];
  std::string words =
      reference.kind == Said::kDefined      ? "exact"
      : reference.kind == Said::kNoDataflow ? "no flow"
      : reference.kind == Said::kRefused    ? absl::StrCat("refused, ", reference.reason)
      : reference.kind == Said::kBeyond ? absl::StrCat("beyond the reference, ", reference.reason)
                                        : absl::StrCat("conservative, ", reference.reason);
  const std::string said = absl::StrCat("// spec: ", words, "\n// impl: ");

  const SharedShape& shape = module.computations[module.entry].instructions[root].shape;
  const auto leaves = shape ? leaves_of(*shape) : Leaves(1);
  const int32_t count = leaves.ok() ? static_cast<int32_t>(leaves->size()) : 1;
  impl::IndexingAnalysis analysis(module);
  words = "no flow";
  for (int32_t leaf = 0; leaf < count; ++leaf) {
    const auto answer = analysis.reads(module.entry, root, leaf);
    if (!answer.ok()) return absl::StrCat(said, "refused, ", answer.status().message(), "\n");
    for (const std::vector<impl::LeafMaps>& operand : *answer) {
      for (const impl::LeafMaps& list : operand) {
        if (list.inexact) words = absl::StrCat("inexact, ", list.reason);
        if (words == "no flow" && !list.maps.empty()) words = "exact";
      }
    }
  }
  return absl::StrCat(said, words, "\n");
}

// Modules with one error each, and rare forms: the messages of both sides are as recorded.
TEST(IndexingCompareTest, BothRefuseMalformedModulesWithTheRecordedMessages) {
  const std::string text = project_text("corpus/hlo/edges.hlo");
  int64_t cases = 0;
  for (const absl::string_view block : absl::StrSplit(text, "// -----\n")) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(block);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << block;
    EXPECT_THAT(std::string(block), testing::HasSubstr(said_of_root(*module)));
    const int32_t root = module->computations[module->entry].root;
    for (const IndexingQuestion& question : questions_about(*module, module->entry, root)) {
      const IndexingComparison result = compare_indexing(*module, question, {1, 8});
      EXPECT_NE(result.kind, Kind::kDifferent) << result.difference << "\n"
                                               << to_text(question) << "\n"
                                               << block;
    }
    ++cases;
  }
  EXPECT_GT(cases, 300);
}

// Both sides clamp offsets that are far out of bounds.
TEST(IndexingCompareTest, ClampsOffsetsOfAnyValue) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(
      "p = f32[8] parameter(0)\n"
      "o = s32[] parameter(1)\n"
      "ROOT d = f32[2] dynamic-slice(p, o), dynamic_slice_sizes={2}");
  ASSERT_TRUE(module.ok()) << module.status();
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (const auto& [direction, elements] : {std::pair(impl::Direction::kOutputToInput, 2),
                                              std::pair(impl::Direction::kInputToOutput, 8)}) {
      const IndexingComparison result =
          compare_indexing(*module, {0, 2, 0, Scope::kInstruction, direction}, {seed, 8});
      EXPECT_EQ(result.kind, Kind::kEqual) << result.difference;
      EXPECT_EQ(result.elements, elements);
    }
  }
}

}  // namespace
}  // namespace tileproof::verify

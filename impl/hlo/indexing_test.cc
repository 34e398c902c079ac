// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/indexing.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/access_relation.h"
#include "impl/hlo/indexing_result.h"
#include "impl/hlo/indexing_testing.h"
#include "impl/hlo/merge_maps.h"
#include "impl/hlo/module_indexing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// The answer as text, with a line `operand: map` for each map.
std::string text_of(const HloModule& module, int32_t computation,
                    const absl::StatusOr<Indexing>& indexing) {
  if (!indexing.ok()) return absl::StrCat("error: ", indexing.status().message());
  std::string text;
  for (size_t k = 0; k < indexing->size(); ++k) {
    for (size_t leaf = 0; leaf < (*indexing)[k].size(); ++leaf) {
      const LeafMaps& list = (*indexing)[k][leaf];
      const std::string name = leaf == 0 ? absl::StrCat(k) : absl::StrCat(k, "#", leaf);
      for (const IndexedMap& one : list.maps) {
        absl::StrAppend(&text, name, ": ", to_text(one.map), "\n");
        for (size_t i = 0; i < one.runtime.size(); ++i) {
          absl::StrAppend(&text, "  rt", i, ": ",
                          name_of(module, computation, one.runtime[i].position), " ",
                          to_text(one.runtime[i].map), "\n");
        }
      }
      if (list.inexact) absl::StrAppend(&text, name, " inexact: ", list.reason, "\n");
    }
  }
  return text;
}

std::string of_root(const std::string& text) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const int32_t root = module.computations[module.entry].root;
  return text_of(module, module.entry, analysis.reads(module.entry, root));
}

void drop_unused_runtime(Indexing& indexing) {
  for (std::vector<LeafMaps>& operand : indexing) {
    for (LeafMaps& list : operand) {
      for (IndexedMap& one : list.maps) one = without_unused_runtime(std::move(one));
    }
  }
}

// The same of an answer without empty lists. They are in the order of operands and leaves.
std::string text_of(const HloModule& module, int32_t computation, const LeavesRead& reads) {
  Indexing all;
  std::pair<int32_t, int32_t> last{-1, -1};
  for (const LeafRead& read : reads) {
    EXPECT_LT(last, std::pair(read.operand, read.leaf));
    EXPECT_FALSE(read.list.maps.empty());
    last = {read.operand, read.leaf};
    all.resize(read.operand + 1);
    all.back().resize(read.leaf + 1);
    all.back().back() = read.list;
  }
  return text_of(module, computation, absl::StatusOr<Indexing>(std::move(all)));
}

// Maps of one leaf that use no, one or both of two runtime variables.
TEST(IndexingTest, ReadsAreTheListsThatAreNotEmpty) {
  const HloModule module = module_of(
      "f {\n t = (f32[2], (f32[3], f32[8])) parameter(0)\n i = s32[] parameter(1)\n"
      " j = s32[] parameter(2)\n p = (f32[3], f32[8]) get-tuple-element(t), index=1\n"
      " y = f32[8] get-tuple-element(p), index=1\n"
      " w = f32[3] dynamic-slice(y, i), dynamic_slice_sizes={3}\n"
      " v = f32[3] dynamic-slice(y, j), dynamic_slice_sizes={3}\n"
      " u = f32[4] dynamic-slice(y, i), dynamic_slice_sizes={4}\n"
      " q = f32[3] dynamic-slice(u, j), dynamic_slice_sizes={3}\n"
      " x = f32[3] get-tuple-element(p), index=0\n s = f32[3] add(w, x)\n"
      " a = f32[3] add(s, v)\n b = f32[3] add(q, a)\n"
      " ROOT r = (f32[3], f32[8], f32[3]) tuple(s, y, b)\n}\n"
      "ENTRY e {\n t = (f32[2], (f32[3], f32[8])) parameter(0)\n i = s32[] parameter(1)\n"
      " j = s32[] parameter(2)\n ROOT r = (f32[3], f32[8], f32[3]) call(t, i, j), to_apply=f\n}\n");
  IndexingAnalysis first(module), second(module);
  const ModuleIndexing counted =
      index_module(second, [](int32_t, int32_t, const DataflowClass&) {});
  EXPECT_EQ(counted.maps, index_module(module).maps);
  EXPECT_EQ(counted.composed_maps, index_module(module).composed_maps);
  int64_t lists = 0;
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    for (int32_t i = 0; i < std::ssize(module.computations[c].instructions); ++i) {
      for (int32_t leaf = 0; leaf < 3; ++leaf) {
        auto all = first.reads(c, i, leaf);
        if (all.ok()) drop_unused_runtime(*all);
        for (IndexingAnalysis* analysis : {&first, &second}) {  // the second knows all instructions
          const auto reads = leaves_read(*analysis, c, i, leaf);
          ASSERT_EQ(all.status(), reads.status());
          if (!reads.ok()) continue;  // no such leaf
          EXPECT_EQ(text_of(module, c, *reads), text_of(module, c, all));
          lists += std::ssize(*reads);
        }
      }
    }
  }
  EXPECT_GT(lists, 0);
}

// Uses of a shape that is written nowhere else: the first one counts.
TEST(IndexingTest, TakesTheShapeOfAnOperandFromItsFirstUse) {
  const std::string text =
      "p = f32[4] parameter(0)\nq = frobnicate(p)\na = f32[4] negate(f32[4] q)\n"
      "b = f32[2,2] negate(f32[2,2] q)";
  EXPECT_EQ(of_root(text), "error: b: expected operand 0 of dimensions [2,2], found [4]");
}

TEST(IndexingTest, RefusesPlacesThatAreNotThere) {
  const absl::StatusOr<HloModule> module =
      parse_hlo_module("p = f32[4] parameter(0)\nn = f32[4] negate(p)");
  ASSERT_TRUE(module.ok());
  IndexingAnalysis analysis(*module);
  for (const auto& [computation, instruction, leaf, message] :
       {std::tuple{-1, 0, 0, "expected a computation below 1, found -1"},
        {1, 0, 0, "expected a computation below 1, found 1"},
        {0, -1, 0, "expected an instruction below 2, found -1"},
        {0, 2, 0, "expected an instruction below 2, found 2"},
        {0, 1, -1, "n: expected a leaf below 1, found -1"},
        {0, 1, 1, "n: expected a leaf below 1, found 1"}}) {
    EXPECT_EQ(analysis.reads(computation, instruction, leaf).status().message(), message);
    EXPECT_EQ(
        analysis.reads(computation, instruction, leaf, Scope::kComputation).status().message(),
        message);
  }
  for (const auto& [input, message] : {std::pair{-1, "n: expected an input below 1, found -1"},
                                       {1, "n: expected an input below 1, found 1"}}) {
    EXPECT_EQ(analysis.reached(0, 1, input).status().message(), message);
    EXPECT_EQ(analysis.reached(0, 1, input, Scope::kComputation).status().message(), message);
  }
}

TEST(IndexingTest, NamesOfPositionsHaveTheirCalls) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(
      "f {\n p = f32[4] parameter(0)\n ROOT t = (f32[4], f32[4]) tuple(p, p)\n}\n"
      "ENTRY e {\n p = f32[4] parameter(0)\n"
      " ROOT c = (f32[4], f32[4]) call(p), to_apply=f\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(name_of(*module, module->entry, {.calls = {}, .instruction = 0, .leaf = 0}), "p");
  EXPECT_EQ(name_of(*module, module->entry, {.calls = {1}, .instruction = 1, .leaf = 1}), "c/t#1");
}

// Large or odd input gives an answer or an error at once.
TEST(IndexingTest, AnswersOrRefusesOddInput) {
  for (const std::string text :
       {"p = f32[0,5] parameter(0)\nr = f32[5,0] reshape(p)",
        "p = f32[1099511627776,4611686018427387904] parameter(0)\nn = f32[] reshape(p)",
        "p = f32[4611686018427387904] parameter(0)\nr = f32[4611686018427387904] reverse(p), "
        "dimensions={0}",
        "p = f32[9223372036854775807] parameter(0)\nc = f32[9223372036854775807] "
        "concatenate(p, p), dimensions={0}",
        "p = f32[4] parameter(0)\nv = f32[] parameter(1)\nq = f32[4] pad(p, v), "
        "padding=9223372036854775807_9223372036854775807_9223372036854775807",
        "t = () tuple()\ng = f32[] get-tuple-element(t), index=0",
        "p = token[] parameter(0)\na = token[] after-all(p)",
        "p = f32[4] parameter(0)\nx = f32[4] frobnicate(p)",
        "p = f32[4] parameter(0)\nx = f32[4] async-start(p)",
        "p = f32[4] parameter(0)\nx = ((f32[4]), f32[4]) negate-start(p)",
        "p = f32[4] parameter(0)\nx = f32[4] convolution(p, p), dim_labels=bf_io->bf"}) {
    const absl::StatusOr<HloModule> parsed = parse_hlo_module(text);
    if (!parsed.ok()) continue;  // the parser refuses some sizes
    const HloModule& module = *parsed;
    IndexingAnalysis analysis(module);
    for (int32_t leaf = -1; leaf < 3; ++leaf) {
      const int32_t root = module.computations[0].root;
      const auto answer = analysis.reads(0, root, leaf);
      EXPECT_TRUE(answer.ok() || !answer.status().message().empty()) << text;
      static_cast<void>(analysis.reads(0, root, leaf, Scope::kComputation));
    }
  }
}

// The module is not from a text. Two counts beyond 64 bits are not taken for equal.
TEST(IndexingTest, RefusesToReshapeArraysBeyond64Bits) {
  HloModule module = module_of("p = f32[3,5] parameter(0)\nROOT r = f32[5,3] reshape(p)");
  for (HloInstruction& instruction : module.computations[0].instructions) {
    Shape shape = *instruction.shape;
    for (Dimension& dimension : shape.dimensions) dimension.size = int64_t{1} << 40;
    instruction.shape = SharedShape(std::move(shape));
  }
  IndexingAnalysis analysis(module);
  EXPECT_EQ(text_of(module, 0, analysis.reads(0, 1)),
            "error: r: expected as many elements as in [1099511627776,1099511627776], found "
            "[1099511627776,1099511627776]");
}

TEST(IndexingTest, SourcesAreEqualIfPositionMapAndBoundsAre) {
  const HloModule module = module_of(
      "p = f32[8] parameter(0)\no = s32[] parameter(1)\n"
      "s = f32[4] dynamic-slice(p, o), dynamic_slice_sizes={4}");
  IndexingAnalysis analysis(module);
  const IndexedMap one = analysis.reads(0, 2).value()[0][0].maps.front();
  IndexedMap other = one;
  EXPECT_EQ(one, other);
  ASSERT_EQ(other.runtime.size(), 1);
  ++other.runtime[0].feasible.high;
  EXPECT_NE(one, other);
}

TEST(IndexingTest, KeepsTheFirstOfEqualRelationsUnlessOnlyTheOtherIsExact) {
  const auto reversed = [](bool inexact) {
    AccessRelation relation;
    relation.map = parse_map("(d0) -> (-d0 + 3), domain: d0 in [0, 3]").value();
    relation.rank = 1;
    relation.inexact = inexact;
    return finish(std::move(relation), {4}, {4});
  };
  for (const bool first_is_inexact : {false, true}) {
    for (const bool second_is_inexact : {false, true}) {
      const AccessRelationPtr first = reversed(first_is_inexact),
                              second = reversed(second_is_inexact);
      UnionMap union_map;
      add(union_map, first, {4}, {4});
      add(union_map, second, {4}, {4});
      ASSERT_EQ(union_map.relations.size(), 1);
      EXPECT_EQ(union_map.relations[0], first_is_inexact && !second_is_inexact ? second : first);
    }
  }
}

TEST(IndexingTest, CountsAnInstructionWithoutAShapeAsRefused) {
  const HloModule module =
      module_of("p = f32[4] parameter(0)\nq = frobnicate(p)\nROOT r = f32[4] negate(p)");
  std::string reason;
  const ModuleIndexing counted =
      index_module(module, [&](int32_t, int32_t instruction, const DataflowClass& found) {
        if (instruction == 1) reason = found.reason;
      });
  EXPECT_EQ(reason, "q: expected a shape");
  EXPECT_EQ(counted.instructions.refused, 1);
}

// Each of 40 computations calls the one before twice: 2^40 paths, and two maps.
TEST(IndexingTest, SharedPartsAreAnalyzedOnce) {
  std::string text =
      "c0 {\n p = f32[4] parameter(0)\n ROOT r = f32[4] reverse(p), dimensions={0}\n}\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&text, "c", i, " {\n p = f32[4] parameter(0)\n a = f32[4] call(p), to_apply=c",
                    i - 1, "\n b = f32[4] call(a), to_apply=c", i - 1,
                    "\n ROOT s = f32[4] add(a, b)\n}\n");
  }
  absl::StrAppend(&text,
                  "ENTRY e {\n p = f32[4] parameter(0)\n ROOT c = f32[4] call(p), "
                  "to_apply=c40\n}\n");
  EXPECT_EQ(of_root(text),
            "0: (d0) -> (-d0 + 3), domain: d0 in [0, 3]\n0: (d0) -> (d0), domain: d0 in [0, 3]\n");
}

}  // namespace
}  // namespace tileproof::impl

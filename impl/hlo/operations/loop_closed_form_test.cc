// SPDX-License-Identifier: Apache-2.0
// Closed forms of loops whose bodies are given as maps: also such that no operation gives alone.
#include "impl/hlo/operations/loop_closed_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

// What the body makes of a leaf: for a leaf that it reads, a map. Each runtime variable is the
// integer of that name in the body: i, twice (2 * i), back (3 - i).
struct Read {
  int32_t leaf = 0;
  std::string map;
  std::vector<std::string> runtime = {"i"};
  int32_t source_rank = 0;
  bool was_simplified = false;
};
using Reads = std::vector<Read>;

// Leaf 0 is the counter i = 0, 1, ..
struct Loop {
  std::vector<std::string> arrays;  // leaves 1, 2, ..
  std::vector<Reads> reads;         // by array; none: it is handed on
  int64_t trips = 4;
};

std::string text_of(const Loop& loop) {
  const std::string state = absl::StrCat("(s32[], ", absl::StrJoin(loop.arrays, ", "), ")");
  std::string body =
      absl::StrCat(" s = ", state, " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n");
  std::vector<std::string> entry = {"i"}, next = {"n"};
  std::string parameters;
  for (size_t k = 0; k < loop.arrays.size(); ++k) {
    absl::StrAppend(&body, " x", k, " = ", loop.arrays[k], " get-tuple-element(s), index=", k + 1,
                    "\n");
    absl::StrAppend(&parameters, " a", k, " = ", loop.arrays[k], " parameter(", k, ")\n");
    entry.push_back(absl::StrCat("a", k));
    next.push_back(absl::StrCat("x", k));
  }
  return absl::StrCat(
      "HloModule m\nbody {\n", body,
      " one = s32[] constant(1)\n three = s32[] constant(3)\n n = s32[] add(i, one)\n",
      " twice = s32[] add(i, i)\n back = s32[] subtract(three, i)\n ROOT r = ", state, " tuple(",
      absl::StrJoin(next, ", "), ")\n}\ncond {\n s = ", state,
      " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n limit = s32[] constant(",
      loop.trips, ")\n ROOT p = pred[] compare(i, limit), direction=LT\n}\nENTRY e {\n", parameters,
      " i = s32[] constant(0)\n t = ", state, " tuple(", absl::StrJoin(entry, ", "),
      ")\n ROOT w = ", state, " while(t), condition=cond, body=body\n}\n");
}

AccessRelationPtr relation_of(const Read& read, const HloComputation& body, const Dims& output,
                              const Dims& operand) {
  AccessRelation relation;
  relation.map = parse_map(read.map).value();
  relation.rank = static_cast<int32_t>(operand.size());
  for (size_t v = 0; v < relation.map.runtime.size(); ++v) {
    const auto at = std::ranges::find(body.instructions, read.runtime[v], &HloInstruction::name);
    EXPECT_NE(at, body.instructions.end()) << read.runtime[v];
    const auto instruction = static_cast<int32_t>(at - body.instructions.begin());
    relation.runtime.push_back(
        {{{}, instruction, 0}, read.source_rank, relation.map.runtime[v].bounds});
  }
  if (read.was_simplified) relation.written = std::make_shared<IndexingMap>(relation.map);
  return finish(std::move(relation), output, operand);
}

// A line "leaf: map" for each map of array `asked`, with its marks; "none" without a closed form.
std::string closed(const Loop& loop, int32_t asked = 1) {
  const HloModule module = module_of(text_of(loop));
  const HloComputation& entry = module.computations[module.entry];
  const auto checked = checked_op(module, entry, entry.instructions[entry.root]);
  EXPECT_TRUE(checked.ok()) << checked.status();
  if (!checked.ok()) return "";
  const auto& operation = std::get<op::While>(checked->operation);
  const HloComputation& body = module.computations[operation.body];
  std::vector<Dims> sizes;
  for (const Leaf& leaf : checked->result) sizes.push_back(leaf.dims);
  Summaries summaries(module.computations.size());
  for (size_t leaf = 0; leaf < sizes.size(); ++leaf) {
    Dependences dependences;
    if (leaf == 0 || leaf > loop.reads.size() || loop.reads[leaf - 1].empty()) {
      dependences.dependences.push_back(
          {0, static_cast<int32_t>(leaf), identity_relation(sizes[leaf])});
    } else {
      for (const Read& read : loop.reads[leaf - 1]) {
        dependences.dependences.push_back(
            {0, read.leaf, relation_of(read, body, sizes[leaf], sizes[read.leaf])});
      }
    }
    summaries[operation.body].push_back(std::move(dependences));
  }
  ComputationDependences around(module, module.entry, summaries);
  const OperationContext context{around.view(), entry.root, asked, sizes[asked], summaries};
  const auto counters = counters_of(operation, around);
  EXPECT_TRUE(counters.has_value());
  const auto found = loop_closed_form(operation, *counters, context);
  if (!found) return "none";
  std::string text;
  for (const Dependence& one : found->dependences) {
    absl::StrAppend(&text, one.leaf, ": ", to_text(one.relation->map),
                    one.relation->inexact ? " inexact" : "", one.relation->onto ? " onto" : "",
                    one.relation->written ? " written" : "", "\n");
  }
  return text;
}

// Rows of f32[4,2] that are written at an integer of the body, and the rows before and behind it.
const char kBefore[] =
    "(d0, d1){rt0} -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 1], rt0 in [0, 3], "
    "d0 - rt0 in [-3, -1]";
const char kBehind[] =
    "(d0, d1){rt0} -> (d0, d1), domain: d0 in [1, 3], d1 in [0, 1], rt0 in [0, 3], "
    "d0 - rt0 in [1, 3]";
const char kRow[] =
    "(d0, d1){rt0} -> (0, d1), domain: d0 in [0, 3], d1 in [0, 1], rt0 in [0, 3], "
    "d0 - rt0 in [0, 0]";
const char kEveryRow[] = "2: (d0, d1) -> (0, d1), domain: d0 in [0, 3], d1 in [0, 1] onto\n";

// A loop over such rows, with these maps for what is kept and written.
std::string rows(const std::string& before, const std::string& behind,
                 const std::string& integer = "i", const std::string& row = kRow) {
  Loop loop;
  loop.arrays = {"f32[4,2]", "f32[1,2]"};
  loop.reads = {{{1, before, {integer}}, {1, behind, {integer}}, {2, row, {integer}}}};
  return closed(loop);
}

// The map with other text in the place of a part of it.
std::string with(std::string map, const std::string& part, const std::string& other) {
  const size_t at = map.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return map.replace(at, part.size(), other);
}

TEST(LoopClosedForm, EveryRowIsWritten) {
  EXPECT_EQ(rows(kBefore, kBehind), kEveryRow);
  EXPECT_EQ(rows(kBefore, kBehind, "back"), kEveryRow);
  EXPECT_EQ(rows(kBehind, kBefore), kEveryRow);
}

// In the last iteration, or in the first one.
TEST(LoopClosedForm, NoOffsetIsClamped) {
  const std::string row = with(kRow, "rt0 in [0, 3]", "rt0 in [0, 2]");
  EXPECT_EQ(rows(kBefore, kBehind, "i", row), "none");
  EXPECT_EQ(rows(kBefore, kBehind, "back", row), "none");
}

// Nothing is left of relations that the simplifier made, or of offsets and marks of the body.
TEST(LoopClosedForm, AResultHasItsOwnMarks) {
  Loop loop;
  loop.arrays = {"f32[4,2]", "f32[1,2]"};
  loop.trips = 2;
  const std::string row = with(kRow, "(0, d1)", "(0, d1, 0)");
  loop.reads = {{{1, kBefore}, {1, kBehind}, {2, row, {"i"}, 1, true}}};
  EXPECT_EQ(closed(loop),
            "1: (d0, d1) -> (d0, d1), domain: d0 in [2, 3], d1 in [0, 1]\n"
            "2: (d0, d1) -> (0, d1), domain: d0 in [0, 1], d1 in [0, 1] onto\n");
}

TEST(LoopClosedForm, WhatIsKeptIsAllBeforeAndBehindTheSlab) {
  for (const char* d0 : {"[0, 1]", "[1, 2]"})
    EXPECT_EQ(rows(with(kBefore, "d0 in [0, 2]", absl::StrCat("d0 in ", d0)), kBehind), "none");
  for (const char* d0 : {"[1, 2]", "[2, 3]"})
    EXPECT_EQ(rows(kBefore, with(kBehind, "d0 in [1, 3]", absl::StrCat("d0 in ", d0))), "none");
  for (const char* d1 : {"[0, 0]", "[1, 1]"}) {
    const std::string other = absl::StrCat("d1 in ", d1);
    EXPECT_EQ(rows(with(kBefore, "d1 in [0, 1]", other), kBehind), "none");
    EXPECT_EQ(rows(kBefore, with(kBehind, "d1 in [0, 1]", other)), "none");
  }
  for (const char* integer : {"i", "back"}) {
    for (const char* band : {"[-2, -1]", "[-3, -2]"})
      EXPECT_EQ(rows(with(kBefore, "[-3, -1]", band), kBehind, integer), "none") << integer << band;
    for (const char* band : {"[1, 2]", "[2, 3]"}) {
      const std::string behind =
          with(kBehind, "d0 - rt0 in [1, 3]", absl::StrCat("d0 - rt0 in ", band));
      EXPECT_EQ(rows(kBefore, behind, integer), "none") << integer << band;
    }
    for (const char* d0 : {"[0, 1]", "[1, 2]"})
      EXPECT_EQ(rows(with(kBefore, "d0 in [0, 2]", absl::StrCat("d0 in ", d0)), kBehind, integer),
                "none");
    for (const char* d0 : {"[1, 2]", "[2, 3]"})
      EXPECT_EQ(rows(kBefore, with(kBehind, "d0 in [1, 3]", absl::StrCat("d0 in ", d0)), integer),
                "none");
  }
  EXPECT_EQ(rows(with(kBefore, "(d0, d1),", "(d0, 1),"), kBehind), "none");
  EXPECT_EQ(rows(kBehind, kBehind), "none");
}

TEST(LoopClosedForm, OneSideAloneIsNoSlab) {
  Loop loop;
  loop.arrays = {"f32[4,2]", "f32[1,2]"};
  loop.reads = {{{1, kBehind}, {2, kRow}}};
  EXPECT_EQ(closed(loop), "none");
  loop.reads = {{{1, kBefore}, {2, kRow}}};
  EXPECT_EQ(closed(loop), "none");
}

// Rows that move in other steps, or columns.
TEST(LoopClosedForm, BothSidesAreOfOneSlab) {
  Loop loop;
  loop.arrays = {"f32[4,2]", "f32[1,2]"};
  const std::string back = with(with(kBehind, "d0 - rt0 in [1, 3]", "d0 - rt0 in [-2, 3]"),
                                "d0 in [1, 3]", "d0 in [0, 3]");
  const std::string row = with(kRow, "[0, 0]", "[-3, -3]");  // row k, as 3 - k - 3
  loop.reads = {{{1, kBefore}, {1, back, {"back"}}, {2, row, {"back"}}}};
  EXPECT_EQ(closed(loop), "none");
  loop.arrays = {"f32[4,4]", "f32[1,4]"};
  loop.reads = {{{1, with(kBefore, "d1 in [0, 1]", "d1 in [0, 3]")},
                 {1,
                  "(d0, d1){rt0} -> (d0, d1), domain: d0 in [0, 3], d1 in [1, 3], rt0 in [0, 3], "
                  "d1 - rt0 in [1, 3]"},
                 {2,
                  "(d0, d1){rt0} -> (0, d0), domain: d0 in [0, 3], d1 in [0, 3], rt0 in [0, 3], "
                  "d1 - rt0 in [0, 0]"}}};
  EXPECT_EQ(closed(loop), "none");
}

TEST(LoopClosedForm, WhatIsWrittenLiesInTheSlab) {
  for (const char* band : {"[-1, -1]", "[1, 1]", "[-1, 0]", "[0, 1]"}) {
    EXPECT_EQ(rows(kBefore, kBehind, "i", with(kRow, "[0, 0]", band)), "none") << band;
  }
}

// A constraint on the counter alone must hold whenever a row is kept.
TEST(LoopClosedForm, RowsAreKeptInEveryIteration) {
  const auto only = [](const std::string& map, const std::string& values) {
    return absl::StrCat(map, ", rt0 + 0 in ", values);
  };
  EXPECT_EQ(rows(only(kBefore, "[0, 3]"), kBehind), kEveryRow);
  EXPECT_EQ(rows(only(kBefore, "[1, 3]"), kBehind), kEveryRow);  // none is before row 0
  EXPECT_EQ(rows(only(kBefore, "[2, 3]"), kBehind), "none");
  EXPECT_EQ(rows(only(kBefore, "[0, 2]"), kBehind), "none");
  EXPECT_EQ(rows(kBefore, only(kBehind, "[0, 2]")), kEveryRow);
  EXPECT_EQ(rows(kBefore, only(kBehind, "[0, 1]")), "none");
  EXPECT_EQ(rows(kBefore, only(kBehind, "[1, 3]")), "none");
  EXPECT_EQ(rows(absl::StrCat(kBefore, ", d0 + d1 * 2 in [0, 4]"), kBehind), "none");
  EXPECT_EQ(rows(with(kBefore, "d0 - rt0", "d0 + d1 * 2 - rt0"), kBehind), "none");
  EXPECT_EQ(rows(with(kBefore, "d0 - rt0", "d0 * 2 - rt0"), kBehind), "none");
  EXPECT_EQ(rows(absl::StrCat(kBefore, ", rt0 floordiv 2 in [0, 0]"), kBehind), "none");
}

// A range variable that is not the counter.
TEST(LoopClosedForm, OtherRangesAreNoCounter) {
  const std::string before =
      "(d0, d1)[s0]{rt0} -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 1], s0 in [0, 3], "
      "rt0 in [0, 3], d0 - s0 in [-3, -1]";
  EXPECT_EQ(rows(before, kBehind), "none");
}

// A carried leaf reads rows while they are written.
TEST(LoopClosedForm, OnlyItsOwnSlabsKeepAWrittenLeaf) {
  Loop loop;
  loop.arrays = {"f32[4,2]", "f32[2]"};
  loop.reads = {{{1, kBefore}, {1, kBehind}, {2, with(kRow, "(0, d1)", "(d1)")}},
                {{2, "(d0) -> (d0), domain: d0 in [0, 1]"},
                 {1, "(d0)[s0] -> (s0, d0), domain: d0 in [0, 1], s0 in [0, 3]"}}};
  EXPECT_EQ(closed(loop), "none");
}

TEST(LoopClosedForm, ADiagonalIsNoPick) {
  Loop loop;
  loop.arrays = {"f32[]", "f32[3,3]", "f32[3,3]"};
  loop.reads = {{{2, "()[s0] -> (s0, s0), domain: s0 in [0, 2]"}},
                {{2, "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 2]"},
                 {3, "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 2]"}}};
  EXPECT_EQ(closed(loop), "none");
}

// Of five maps and more. The sizes of the two arrays differ in each dimension.
TEST(LoopClosedForm, MapsThatAnotherOneContainsAreDropped) {
  Loop loop;
  loop.arrays = {"f32[2]", "f32[4,2]"};
  loop.reads = {{{1, "(d0) -> (d0), domain: d0 in [0, 1]"}}};
  for (int64_t k = 0; k < 4; ++k) {
    loop.reads[0].push_back({2, absl::StrCat("(d0) -> (", k, ", d0), domain: d0 in [0, 1]")});
  }
  loop.reads[0].push_back({2, "(d0)[s0] -> (s0, d0), domain: d0 in [0, 1], s0 in [0, 3]"});
  EXPECT_EQ(closed(loop),
            "1: (d0) -> (d0), domain: d0 in [0, 1] onto\n"
            "2: (d0)[s0] -> (s0, d0), domain: d0 in [0, 1], s0 in [0, 3] onto\n");
}

// More maps than a union has become all pairs.
TEST(LoopClosedForm, MoreThan48MapsOfAnArray) {
  Loop loop;
  loop.arrays = {"f32[2]", "f32[1300]"};
  loop.reads = {{{1, "(d0) -> (d0), domain: d0 in [0, 1]"}}};
  for (int64_t k = 0; k < 49; ++k) {
    loop.reads[0].push_back(
        {2, absl::StrCat("(d0) -> (", k * (k + 1) / 2, "), domain: d0 in [0, 1]")});
  }
  EXPECT_EQ(closed(loop),
            "1: (d0) -> (d0), domain: d0 in [0, 1] onto\n"
            "2: (d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1299] inexact onto\n");
}

}  // namespace
}  // namespace tileproof::impl

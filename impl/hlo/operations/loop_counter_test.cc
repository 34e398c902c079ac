// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/loop_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/indexing_testing.h"
#include "impl/hlo/leaf_shapes.h"
#include "impl/hlo/reached_leaves.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::impl {
namespace {

// A loop over two integers of a type, c0 and c1.
struct Loop {
  std::string c0 = "0", c1 = "7";                                      // at first
  std::string body = "n0 = s32[] add(c0, one)\n n1 = s32[] copy(c1)";  // gives n0 and n1
  std::string test = "ROOT p = pred[] compare(c0, limit), direction=LT";
  std::string limit = "10";
  std::string type = "s32[]";
};

std::string text_of(const Loop& loop) {
  const std::string parts = absl::StrCat(
      " s = (", loop.type, ", ", loop.type, ") parameter(0)\n c0 = ", loop.type,
      " get-tuple-element(s), index=0\n c1 = ", loop.type,
      " get-tuple-element(s), index=1\n one = ", loop.type, " constant(1)\n two = ", loop.type,
      " constant(2)\n limit = ", loop.type, " constant(", loop.limit, ")\n ");
  return absl::StrCat("HloModule m\nbody {\n", parts, loop.body, "\n ROOT r = (", loop.type, ", ",
                      loop.type, ") tuple(n0, n1)\n}\ncond {\n", parts, loop.test,
                      "\n}\nENTRY e {\n c0 = ", loop.type, " constant(", loop.c0,
                      ")\n c1 = ", loop.type, " constant(", loop.c1, ")\n t = (", loop.type, ", ",
                      loop.type, ") tuple(c0, c1)\n ROOT w = (", loop.type, ", ", loop.type,
                      ") while(t), condition=cond, body=body\n}\n");
}

std::string shown(const std::optional<Affine>& value) {
  return value ? absl::StrCat(value->first, " + ", value->step, " k") : "unknown";
}

// How often the loop runs and its counters, as in "10 times: 0 + 1 k, 7 + 0 k"; behind a colon, the
// integer of that name in the body.
std::string counted(const Loop& shape, const std::string& asked = "") {
  const std::string text = text_of(shape);
  const HloModule module = module_of(text);
  const HloComputation& entry = module.computations[module.entry];
  const auto checked = checked_op(module, entry, entry.instructions[entry.root]);
  EXPECT_TRUE(checked.ok()) << checked.status() << "\n" << text;
  if (!checked.ok()) return "";
  const auto& loop = std::get<op::While>(checked->operation);
  const Summaries summaries(module.computations.size());
  ComputationDependences around(module, module.entry, summaries);
  const std::optional<LoopCounters> counters = counters_of(loop, around);
  if (!counters) return "unknown";
  std::string found = absl::StrCat(counters->trips, " times:");
  for (int32_t leaf = 0; leaf < 2; ++leaf) {
    const auto known = counters->state.find(leaf);
    absl::StrAppend(
        &found, leaf == 0 ? " " : ", ",
        shown(known == counters->state.end() ? std::nullopt : std::optional(known->second)));
  }
  if (asked.empty()) return found;
  const auto& instructions = module.computations[loop.body].instructions;
  const auto position = std::ranges::find(instructions, asked, &HloInstruction::name);
  EXPECT_NE(position, instructions.end()) << asked;
  return shown(
      affine_at(*counters, {{}, static_cast<int32_t>(position - instructions.begin()), 0}));
}

// c0 starts at a number and grows by a constant of the body while it compares so with the limit.
Loop starting(const std::string& c0, const std::string& direction, const std::string& limit,
              const std::string& step = "one") {
  Loop loop;
  loop.c0 = c0;
  loop.limit = limit;
  loop.test = absl::StrCat("ROOT p = pred[] compare(c0, limit), direction=", direction);
  loop.body = absl::StrCat("n0 = s32[] add(c0, ", step, ")\n n1 = s32[] copy(c1)");
  return loop;
}

std::string times(const std::string& c0, const std::string& direction, const std::string& limit,
                  const std::string& step = "one") {
  const std::string found = counted(starting(c0, direction, limit, step));
  return found.substr(0, found.find(" times"));
}

TEST(LoopCounter, TheExampleOfTheHeader) {
  Loop loop;
  loop.c0 = "2";
  loop.body = "three = s32[] constant(3)\n n0 = s32[] add(c0, three)\n n1 = s32[] copy(c1)";
  loop.limit = "9";
  EXPECT_EQ(counted(loop), "3 times: 2 + 3 k, 7 + 0 k");
}

TEST(LoopCounter, TheIterationsOfEachComparison) {
  EXPECT_EQ(times("0", "LT", "10"), "10");
  EXPECT_EQ(times("0", "LE", "10"), "11");
  EXPECT_EQ(times("0", "NE", "10"), "10");
  EXPECT_EQ(times("10", "EQ", "10"), "1");
  EXPECT_EQ(times("9", "EQ", "10"), "0");
  EXPECT_EQ(times("10", "NE", "10"), "0");
  EXPECT_EQ(times("10", "LT", "10"), "0");
  EXPECT_EQ(times("10", "LE", "10"), "1");
  EXPECT_EQ(times("11", "LE", "10"), "0");
  EXPECT_EQ(times("3", "LT", "10", "two"), "4");  // 3, 5, 7, 9
  EXPECT_EQ(times("4", "LT", "10", "two"), "3");  // 4, 6, 8
  EXPECT_EQ(times("4", "LE", "10", "two"), "4");
  EXPECT_EQ(times("4", "NE", "10", "two"), "3");
  EXPECT_EQ(times("-5", "LT", "-1"), "4");
  EXPECT_EQ(times("10", "LT", "10", "two"), "0");
  EXPECT_EQ(times("11", "LE", "10", "two"), "0");
}

// Conditions of several comparisons: the loop ends with the first that does not hold.
TEST(LoopCounter, TheConditionMayBeNotAndOr) {
  const auto times_if = [](const std::string& test) {
    Loop loop;
    loop.test = absl::StrCat(
        "below = pred[] compare(c0, limit), direction=LT\n apart = pred[] compare(c0, c1), "
        "direction=NE\n from = pred[] compare(c0, limit), direction=GE\n yes = pred[] "
        "constant(true)\n no = pred[] constant(false)\n ",
        test);
    const std::string found = counted(loop);
    return found.substr(0, found.find(" times"));
  };
  EXPECT_EQ(times_if("ROOT p = pred[] and(below, yes)"), "10");
  EXPECT_EQ(times_if("ROOT p = pred[] and(no, below)"), "0");
  EXPECT_EQ(times_if("ROOT p = pred[] and(below, apart)"), "7");
  EXPECT_EQ(times_if("ROOT p = pred[] or(no, below)"), "10");
  EXPECT_EQ(times_if("ROOT p = pred[] or(below, yes)"), "unknown");  // it never ends
  EXPECT_EQ(times_if("ROOT p = pred[] or(below, apart)"), "unknown");
  EXPECT_EQ(times_if("ROOT p = pred[] not(from)"), "10");
  EXPECT_EQ(times_if("ROOT p = pred[] not(below)"), "0");
  EXPECT_EQ(times_if("q = pred[] not(apart)\n r = pred[] or(q, from)\n ROOT p = pred[] not(r)"),
            "7");
  EXPECT_EQ(times_if("q = pred[] or(yes, from)\n ROOT p = pred[] and(q, below)"), "10");
  EXPECT_EQ(times_if("q = pred[] and(from, below)\n ROOT p = pred[] not(q)"), "unknown");
  EXPECT_EQ(
      times_if("n = s32[] negate(c0)\n m = s32[] constant(-4)\n ROOT p = pred[] compare(n, m), "
               "direction=GT"),
      "4");
  EXPECT_EQ(times_if("h = s32[] divide(limit, two)\n ROOT p = pred[] compare(c0, h), direction=LT"),
            "5");
  EXPECT_EQ(times_if("h = s32[] remainder(c1, two)\n ROOT p = pred[] compare(c0, h), direction=LE"),
            "2");
  EXPECT_EQ(times_if("h = s32[] divide(c0, two)\n ROOT p = pred[] compare(h, two), direction=LT"),
            "4");
  EXPECT_EQ(times_if("h = s32[] and(limit, c1)\n ROOT p = pred[] compare(c0, h), direction=LT"),
            "2");
}

TEST(LoopCounter, ACounterThatRunsDown) {
  Loop loop = starting("10", "GT", "4");
  loop.body = "n0 = s32[] subtract(c0, one)\n n1 = s32[] copy(c1)";
  EXPECT_EQ(counted(loop), "6 times: 10 + -1 k, 7 + 0 k");
  loop.test = "ROOT p = pred[] compare(c0, limit), direction=GE";
  EXPECT_EQ(counted(loop), "7 times: 10 + -1 k, 7 + 0 k");
  loop.test = "ROOT p = pred[] compare(c0, limit), direction=NE";
  EXPECT_EQ(counted(loop), "6 times: 10 + -1 k, 7 + 0 k");
  loop.test = "ROOT p = pred[] compare(limit, c0), direction=LT";
  EXPECT_EQ(counted(loop), "6 times: 10 + -1 k, 7 + 0 k");
}

// -3 is larger than 2 as an unsigned number.
TEST(LoopCounter, AnUnsignedComparisonIsNoSignedOne) {
  Loop loop = starting("-3", "LT", "2");
  EXPECT_EQ(counted(loop), "5 times: -3 + 1 k, 7 + 0 k");
  loop.test += ", type=SIGNED";
  EXPECT_EQ(counted(loop), "5 times: -3 + 1 k, 7 + 0 k");
  loop.test = "ROOT p = pred[] compare(c0, limit), direction=LT, type=UNSIGNED";
  EXPECT_EQ(counted(loop), "unknown");
}

// Overflow ends such loops, or nothing does.
TEST(LoopCounter, LoopsThatDoNotEndBeforeTheirCounterWraps) {
  EXPECT_EQ(times("0", "GT", "-1"), "unknown");
  EXPECT_EQ(times("0", "GE", "0"), "unknown");
  EXPECT_EQ(times("3", "NE", "10", "two"), "unknown");  // 3, 5, .., never 10
  EXPECT_EQ(times("12", "NE", "10", "two"), "unknown");
  EXPECT_EQ(times("11", "NE", "10"), "unknown");
  Loop still = starting("10", "EQ", "10");
  still.body = "n0 = s32[] copy(c0)\n n1 = s32[] copy(c1)";
  EXPECT_EQ(counted(still), "unknown");
  still.test = "ROOT p = pred[] compare(c0, limit), direction=LE";
  EXPECT_EQ(counted(still), "unknown");
  still.c0 = "9";
  still.test = "ROOT p = pred[] compare(c0, limit), direction=NE";
  EXPECT_EQ(counted(still), "unknown");
}

TEST(LoopCounter, AtMost65536IterationsAreCounted) {
  EXPECT_EQ(times("0", "LT", "65536"), "65536");
  EXPECT_EQ(times("0", "LT", "65537"), "unknown");
}

TEST(LoopCounter, NumbersMayBeLarge) {
  Loop loop;
  loop.type = "s64[]";
  loop.c0 = "-4611686018427387904";
  loop.limit = "4611686018427387905";  // 2^62 + 1
  loop.body =
      "far = s64[] constant(4503599627370496)\n n0 = s64[] add(c0, far)\n n1 = s64[] copy(c1)";
  EXPECT_EQ(counted(loop), "unknown");  // c0 - limit needs 65 bits
  loop.limit = "-1";
  EXPECT_EQ(counted(loop), "1024 times: -4611686018427387904 + 4503599627370496 k, 7 + 0 k");
  loop.limit = "0";
  EXPECT_EQ(counted(loop), "1024 times: -4611686018427387904 + 4503599627370496 k, 7 + 0 k");
  loop.test = "ROOT p = pred[] compare(c0, limit), direction=LE";
  EXPECT_EQ(counted(loop), "1025 times: -4611686018427387904 + 4503599627370496 k, 7 + 0 k");
  loop.test = "ROOT p = pred[] compare(c0, limit), direction=NE";
  EXPECT_EQ(counted(loop), "1024 times: -4611686018427387904 + 4503599627370496 k, 7 + 0 k");
  loop.body = "n0 = s64[] add(c0, one)\n n1 = s64[] copy(c1)";
  EXPECT_EQ(counted(loop), "unknown");
}

// The counter must fit its type in the last test, too, where it is the limit or beyond.
TEST(LoopCounter, TheConditionMayBeAPartOfATuple) {
  Loop loop;
  loop.test =
      "q = pred[] compare(c0, limit), direction=LT\n t = (s32[], pred[]) tuple(c0, q)\n"
      "ROOT p = pred[] get-tuple-element(t), index=1";
  EXPECT_EQ(counted(loop), "10 times: 0 + 1 k, 7 + 0 k");
}

TEST(LeafShapes, CountsArraysInTuples) {
  const absl::StatusOr<Shape> shape = parse_shape("(f32[2], (s32[], f32[3]), ())");
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(leaf_count(*shape), 3);
  EXPECT_EQ(to_text(*leaf_of(*shape, 1)), "s32[]");
  EXPECT_EQ(leaf_of(*shape, 3), nullptr);
  EXPECT_EQ(leaf_of(*shape, -1), nullptr);
}

TEST(LeafShapes, APartOfATupleLiesBehindAllArraysBeforeIt) {
  const HloModule module = module_of(
      "a = f32[2] parameter(0)\n b = s32[] parameter(1)\n p = (f32[2], s32[]) tuple(a, b)\n t = "
      "((f32[2], s32[]), s32[]) tuple(p, b)\n g = s32[] get-tuple-element(t), index=1");
  const std::vector<HloInstruction>& instructions = module.computations[module.entry].instructions;
  const auto from = [&](size_t instruction, int32_t leaf) {
    const auto found = forwarded_leaf(instructions[instruction], leaf, [&](int32_t operand) {
      return &*instructions[operand].shape;
    });
    return found ? absl::StrCat(found->operand, "#", found->leaf) : "none";
  };
  EXPECT_EQ(from(4, 0), "0#2");
  EXPECT_EQ(from(3, 0), "0#0");
  EXPECT_EQ(from(3, 1), "0#1");
  EXPECT_EQ(from(3, 2), "1#0");
  EXPECT_EQ(from(3, 3), "none");
}

TEST(LoopCounter, NoValueLeavesItsType) {
  Loop loop = starting("100", "LE", "126");
  loop.body = "n0 = s8[] add(c0, one)\n n1 = s8[] copy(c1)";
  loop.type = "s8[]";
  EXPECT_EQ(counted(loop), "27 times: 100 + 1 k, 7 + 0 k");
  loop.limit = "127";  // 127 + 1 is -128, which is below 127 again
  EXPECT_EQ(counted(loop), "unknown");
  Loop unsigned_loop = loop;
  unsigned_loop.type = "u8[]";
  unsigned_loop.body = "n0 = u8[] add(c0, one)\n n1 = u8[] copy(c1)";
  EXPECT_EQ(counted(unsigned_loop), "28 times: 100 + 1 k, 7 + 0 k");
  unsigned_loop.c0 = "200";
  unsigned_loop.limit = "254";
  EXPECT_EQ(counted(unsigned_loop), "55 times: 200 + 1 k, 7 + 0 k");
  unsigned_loop.limit = "255";
  EXPECT_EQ(counted(unsigned_loop), "unknown");
  loop.c0 = "-128";
  loop.limit = "100";
  loop.test = "ROOT p = pred[] compare(c0, limit), direction=LT";
  loop.body = "m = s8[] constant(127)\n n0 = s8[] add(c0, m)\n n1 = s8[] copy(c1)";
  EXPECT_EQ(counted(loop), "2 times: -128 + 127 k, 7 + 0 k");
}

// A value in the body of a loop with c0 = 0, 1, .., 9 and c1 = 7.
std::string value(const std::string& instructions, const std::string& name) {
  Loop loop;
  loop.body += "\n " + instructions;
  return counted(loop, name);
}

TEST(LoopCounter, ValuesThatAreAffine) {
  EXPECT_EQ(value("v = s32[] add(c0, c1)", "v"), "7 + 1 k");
  EXPECT_EQ(value("v = s32[] add(c1, c0)", "v"), "7 + 1 k");
  EXPECT_EQ(value("v = s32[] add(c0, c0)", "v"), "0 + 2 k");
  EXPECT_EQ(value("v = s32[] subtract(c1, c0)", "v"), "7 + -1 k");
  EXPECT_EQ(value("v = s32[] subtract(c0, c0)", "v"), "0 + 0 k");
  EXPECT_EQ(value("v = s32[] multiply(c0, c1)", "v"), "0 + 7 k");
  EXPECT_EQ(value("a = s32[] add(c0, two)\n v = s32[] multiply(c1, a)", "v"), "14 + 7 k");
  EXPECT_EQ(value("v = s32[] multiply(c1, two)", "v"), "14 + 0 k");
  EXPECT_EQ(value("v = s32[] multiply(c0, c0)", "v"), "unknown");
  EXPECT_EQ(value("v = s32[] divide(c0, two)", "v"), "unknown");
  EXPECT_EQ(value("v = s32[1]{0} reshape(c0)", "v"), "0 + 1 k");
  EXPECT_EQ(value("v = s32[1,1] broadcast(c0), dimensions={}", "v"), "0 + 1 k");
  EXPECT_EQ(value("v = s32[2] broadcast(c0), dimensions={}", "v"), "unknown");
  EXPECT_EQ(value("v = s32[1] iota(), iota_dimension=0", "v"), "0 + 0 k");
  EXPECT_EQ(value("v = s64[] convert(c0)", "v"), "0 + 1 k");
  EXPECT_EQ(value("v = f32[] convert(c0)", "v"), "unknown");
  EXPECT_EQ(value("v = s32[] opt-barrier(c0)", "v"), "0 + 1 k");
  EXPECT_EQ(
      value("t = (s32[], s32[]) tuple(c1, c0)\n v = s32[] get-tuple-element(t), index=1", "v"),
      "0 + 1 k");
  EXPECT_EQ(value("v = s32[] constant(5)", "v"), "5 + 0 k");
  EXPECT_EQ(value("v = s32[2] constant({5, 5})", "v"), "unknown");
  EXPECT_EQ(value("v = pred[] constant(true)", "v"), "1 + 0 k");
}

TEST(LoopCounter, WhatIsNotValidIsUnknown) {
  EXPECT_EQ(value("w = reshape(c0)\n v = s32[] copy(w)", "w"), "unknown");  // it has no shape
  EXPECT_EQ(value("e = () tuple()\n v = pred[] compare(c0, e), direction=LT", "v"), "unknown");
  EXPECT_EQ(value("v = s32[] add(c0)", "v"), "unknown");
  EXPECT_EQ(value("v = pred[] compare(c0), direction=LT", "v"), "unknown");
  EXPECT_EQ(value("v = pred[] compare(c0, limit, one), direction=LT", "v"), "unknown");
  EXPECT_EQ(value("v = pred[] compare(c0, limit)", "v"), "unknown");
  EXPECT_EQ(value("v = s32[1] constant({...})", "v"), "unknown");
}

TEST(LoopCounter, SumsAndProductsThatNeed65BitsAreUnknown) {
  const auto far = [](const std::string& opcode, const std::string& a, const std::string& b) {
    return value(absl::StrCat("w = s64[] convert(c0)\n a = s64[] ", a, "\n b = s64[] ", b,
                              "\n v = s64[] ", opcode, "(a, b)"),
                 "v");
  };
  const std::string most = "constant(9223372036854775807)", half = "constant(4611686018427387904)";
  EXPECT_EQ(far("add", "constant(4611686018427387902)", half), "9223372036854775806 + 0 k");
  EXPECT_EQ(far("add", half, half), "unknown");
  EXPECT_EQ(far("subtract", "constant(-2)", most), "unknown");
  EXPECT_EQ(far("multiply", half, "constant(2)"), "unknown");
  EXPECT_EQ(far("multiply", "copy(w)", half), "unknown");  // a step of 2^62, nine times
  EXPECT_EQ(far("multiply", "copy(w)", "constant(1000000000000000000)"),
            "0 + 1000000000000000000 k");
  EXPECT_EQ(far("minimum", "copy(w)", most), "unknown");  // 2^63 - 1 counts as no number
  EXPECT_EQ(value("v = u64[] constant(18446744073709551615)", "v"), "unknown");
}

// Only the difference in the last iteration needs 65 bits. The step of one iteration is 0.
TEST(LoopCounter, StepsAndDifferencesThatNeed65BitsAreUnknown) {
  const auto within = [](const std::string& limit, const std::string& instructions) {
    Loop loop;
    loop.limit = limit;
    loop.body +=
        "\n w = s64[] convert(c0)\n half = s64[] constant(4611686018427387904)\n" + instructions;
    return counted(loop, "v");
  };
  EXPECT_EQ(within("1", "v = s64[] multiply(w, half)"), "0 + 0 k");
  EXPECT_EQ(within("2", "v = s64[] multiply(w, half)"), "0 + 4611686018427387904 k");
  EXPECT_EQ(within("2", "a = s64[] multiply(w, half)\n v = s64[] add(a, a)"), "unknown");
  EXPECT_EQ(within("2",
                   "a = s64[] multiply(w, half)\n f = s64[] constant(2)\n"
                   "v = s64[] multiply(a, f)"),
            "unknown");
  EXPECT_EQ(within("2",
                   "q = s64[] constant(2305843009213693952)\n"
                   "e = s64[] constant(-1152921504606846976)\n"
                   "a0 = s64[] multiply(w, q)\n a = s64[] add(a0, half)\n"
                   "b0 = s64[] multiply(w, e)\n b = s64[] subtract(b0, q)\n"
                   "v = s64[] minimum(a, b)"),
            "unknown");
}

// Of a condition that holds in every iteration, or in none.
TEST(LoopCounter, ChoicesThatAreTheSameInEveryIteration) {
  const auto least = [](const std::string& opcode, const std::string& constant) {
    return value(absl::StrCat("b = s32[] constant(", constant, ")\n v = s32[] ", opcode, "(c0, b)"),
                 "v");
  };
  EXPECT_EQ(least("minimum", "9"),
            "unknown");  // c0 is 9 at last: neither is below the other always
  EXPECT_EQ(least("minimum", "10"), "0 + 1 k");
  EXPECT_EQ(least("minimum", "0"), "0 + 0 k");
  EXPECT_EQ(least("minimum", "5"), "unknown");
  EXPECT_EQ(least("maximum", "0"), "0 + 1 k");
  EXPECT_EQ(least("maximum", "10"), "10 + 0 k");
  EXPECT_EQ(least("maximum", "1"), "unknown");
  EXPECT_EQ(least("maximum", "-1"), "0 + 1 k");
  EXPECT_EQ(value("v = s32[] minimum(c0, c0)", "v"), "0 + 1 k");
  EXPECT_EQ(value("a = s32[] add(c0, one)\n v = s32[] minimum(c0, a)", "v"), "0 + 1 k");
  EXPECT_EQ(value("a = s32[] subtract(limit, c0)\n v = s32[] minimum(c0, a)", "v"), "unknown");
  EXPECT_EQ(value("a = f32[] convert(c0)\n v = f32[] minimum(a, a)", "v"), "unknown");
  EXPECT_EQ(value("p = pred[] constant(true)\n v = pred[] add(p, p)", "v"), "1 + 0 k");
  const auto holds = [](const std::string& direction, const std::string& constant) {
    return value(absl::StrCat("b = s32[] constant(", constant,
                              ")\n v = pred[] compare(c0, b), direction=", direction),
                 "v");
  };
  EXPECT_EQ(holds("LT", "10"), "1 + 0 k");
  EXPECT_EQ(holds("LT", "9"), "unknown");
  EXPECT_EQ(holds("LT", "0"), "0 + 0 k");
  EXPECT_EQ(holds("LE", "9"), "1 + 0 k");
  EXPECT_EQ(holds("LE", "8"), "unknown");
  EXPECT_EQ(holds("LE", "0"), "unknown");
  EXPECT_EQ(holds("LE", "-1"), "0 + 0 k");
  EXPECT_EQ(holds("GT", "-1"), "1 + 0 k");
  EXPECT_EQ(holds("GT", "0"), "unknown");
  EXPECT_EQ(holds("GT", "9"), "0 + 0 k");
  EXPECT_EQ(holds("GE", "0"), "1 + 0 k");
  EXPECT_EQ(holds("GE", "10"), "0 + 0 k");
  EXPECT_EQ(holds("EQ", "10"), "0 + 0 k");
  EXPECT_EQ(holds("EQ", "-1"), "0 + 0 k");
  EXPECT_EQ(holds("EQ", "0"), "unknown");
  EXPECT_EQ(holds("EQ", "9"), "unknown");
  EXPECT_EQ(holds("EQ", "5"), "unknown");
  EXPECT_EQ(holds("NE", "10"), "1 + 0 k");
  EXPECT_EQ(holds("NE", "-1"), "1 + 0 k");
  EXPECT_EQ(holds("NE", "5"), "unknown");
  EXPECT_EQ(value("v = pred[] compare(c0, c0), direction=EQ", "v"), "1 + 0 k");
  EXPECT_EQ(value("v = pred[] compare(c0, c0), direction=NE", "v"), "0 + 0 k");
  EXPECT_EQ(value("v = pred[] compare(c0, c1), direction=LT, type=UNSIGNED", "v"), "unknown");
  EXPECT_EQ(value("v = pred[] compare(c0, limit), direction=LT, type=SIGNED", "v"), "1 + 0 k");
  EXPECT_EQ(value("a = s32[] divide(c0, two)\n v = pred[] compare(a, limit), direction=LT", "v"),
            "1 + 0 k");
  EXPECT_EQ(value("a = s32[] divide(c0, two)\n v = pred[] compare(limit, a), direction=LT", "v"),
            "0 + 0 k");
  EXPECT_EQ(value("a = s32[] divide(c0, two)\n v = pred[] compare(a, two), direction=LT", "v"),
            "unknown");
  EXPECT_EQ(value("p = pred[] compare(c0, two), direction=LT\n v = s32[] select(p, c0, c1)", "v"),
            "unknown");
}

// The index that JAX takes modulo the length: select(i < 0, i + n, i).
TEST(LoopCounter, AnIndexThatIsNeverNegativeIsItself) {
  const std::string text =
      "z = s32[] constant(0)\n p = pred[] compare(c0, z), direction=LT\n"
      " up = s32[] add(c0, limit)\n v = s32[] select(p, up, c0)\n w = s32[] select(p, c0, up)";
  EXPECT_EQ(value(text, "v"), "0 + 1 k");
  EXPECT_EQ(value(text, "w"), "10 + 1 k");
  EXPECT_EQ(value("t = pred[] constant(true)\n v = s32[] select(t, c0, c1)", "v"), "0 + 1 k");
  EXPECT_EQ(value("t = pred[] constant(false)\n v = s32[] select(t, c0, c1)", "v"), "7 + 0 k");
  Loop twice;
  twice.limit = "2";
  twice.body += "\n p = pred[] convert(c0)\n v = s32[] select(p, c0, c1)";  // false, then true
  EXPECT_EQ(counted(twice, "v"), "unknown");
}

TEST(LoopCounter, ValuesThatLeaveTheirTypeAreUnknown) {
  EXPECT_EQ(value("v = s8[] convert(c0)", "v"), "0 + 1 k");
  EXPECT_EQ(value("b = s32[] constant(118)\n a = s32[] add(c0, b)\n v = s8[] convert(a)", "v"),
            "118 + 1 k");
  EXPECT_EQ(value("b = s32[] constant(119)\n a = s32[] add(c0, b)\n v = s8[] convert(a)", "v"),
            "unknown");
  EXPECT_EQ(value("b = s32[] constant(-128)\n a = s32[] add(c0, b)\n v = s8[] convert(a)", "v"),
            "-128 + 1 k");
  EXPECT_EQ(value("b = s32[] constant(-129)\n a = s32[] add(c0, b)\n v = s8[] convert(a)", "v"),
            "unknown");
  EXPECT_EQ(value("b = s32[] constant(2147483638)\n v = s32[] add(c0, b)", "v"),
            "2147483638 + 1 k");
  EXPECT_EQ(value("b = s32[] constant(2147483639)\n v = s32[] add(c0, b)", "v"), "unknown");
}

// A second counter, and one that another one drives.
TEST(LoopCounter, SeveralIntegersOfTheState) {
  Loop loop;
  loop.body = "n0 = s32[] add(c0, one)\n n1 = s32[] subtract(c1, two)";
  EXPECT_EQ(counted(loop), "10 times: 0 + 1 k, 7 + -2 k");
  loop.body = "n0 = s32[] add(c0, c1)\n n1 = s32[] copy(c1)";  // steps of 7: 0, 7
  EXPECT_EQ(counted(loop), "2 times: 0 + 7 k, 7 + 0 k");
  loop.body = "n0 = s32[] add(c0, one)\n n1 = s32[] copy(c0)";
  EXPECT_EQ(counted(loop), "10 times: 0 + 1 k, unknown");
  loop.body = "n0 = s32[] add(c0, one)\n n1 = s32[] multiply(c1, two)";
  EXPECT_EQ(counted(loop), "10 times: 0 + 1 k, unknown");
  loop.body = "n0 = s32[] add(c0, one)\n n1 = s32[] copy(c1)";
  loop.test = "ROOT p = pred[] compare(c0, c1), direction=LT";  // the limit is part of the state
  EXPECT_EQ(counted(loop), "7 times: 0 + 1 k, 7 + 0 k");
  loop.body = "n0 = s32[] add(c0, one)\n n1 = s32[] subtract(c1, one)";  // they meet
  EXPECT_EQ(counted(loop), "4 times: 0 + 1 k, 7 + -1 k");
  loop.body = "n0 = s32[] copy(c0)\n n1 = s32[] subtract(c1, one)";  // the second alone moves
  EXPECT_EQ(counted(loop), "7 times: 0 + 0 k, 7 + -1 k");
}

// Before the number of iterations is known, only a choice between constants is.
TEST(LoopCounter, ACounterBehindAChoice) {
  Loop loop;
  loop.body =
      "p = pred[] compare(one, two), direction=LT\n a = s32[] add(c0, one)\n"
      " n0 = s32[] select(p, a, c0)\n n1 = s32[] copy(c1)";
  EXPECT_EQ(counted(loop), "10 times: 0 + 1 k, 7 + 0 k");
  loop.body = "a = s32[] add(c0, one)\n n0 = s32[] minimum(a, limit)\n n1 = s32[] copy(c1)";
  EXPECT_EQ(counted(loop), "unknown");
}

// One that would leave its type before the loop ends is no counter, but does not end it.
TEST(LoopCounter, AnIntegerThatWrapsIsNoCounter) {
  Loop loop;
  loop.type = "s8[]";
  loop.c1 = "117";
  loop.body = "n0 = s8[] add(c0, one)\n n1 = s8[] add(c1, one)";
  EXPECT_EQ(counted(loop), "10 times: 0 + 1 k, 117 + 1 k");
  loop.c1 = "118";
  EXPECT_EQ(counted(loop), "10 times: 0 + 1 k, unknown");
}

}  // namespace
}  // namespace tileproof::impl

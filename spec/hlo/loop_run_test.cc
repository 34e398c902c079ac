// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/loop_run.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {
namespace {

// A loop over two integers c0 and c1 of a type. `body` gives n0, and n1 unless that is c1.
struct Loop {
  std::string c0 = "0";
  std::string body = "n0 = TYPE add(c0, one)";
  std::string test = "compare(c0, limit), direction=LT";
  std::string limit = "3";
  std::string type = "s32[]";
};

HloModule module_of(const Loop& loop) {
  const std::string parts =
      "s = (TYPE, TYPE) parameter(0)\n c0 = TYPE get-tuple-element(s), index=0\n c1 = TYPE "
      "get-tuple-element(s), index=1\n one = TYPE constant(1)\n five = TYPE constant(5)\n limit = "
      "TYPE constant(" +
      loop.limit + ")\n ";
  const bool has_next = loop.body.find("n1 =") != std::string::npos;
  std::string text = absl::StrCat(
      "HloModule m\nbody {\n ", parts, loop.body, "\n ROOT r = (TYPE, TYPE) tuple(n0, ",
      has_next ? "n1" : "c1", ")\n}\ncond {\n ", parts, "ROOT p = pred[] ", loop.test,
      "\n}\nENTRY e {\n c0 = TYPE constant(", loop.c0,
      ")\n c1 = TYPE constant(7)\n t = (TYPE, TYPE) tuple(c0, c1)\n ROOT w = (TYPE, TYPE) "
      "while(t), condition=cond, body=body\n}\n");
  for (size_t at; (at = text.find("TYPE")) != std::string::npos;) text.replace(at, 4, loop.type);
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *module : HloModule();
}

std::optional<LoopRun> run_of(const HloModule& module) {
  const HloComputation& entry = module.computations[module.entry];
  const auto checked = checked_op(module, entry, entry.instructions[entry.root]);
  EXPECT_TRUE(checked.ok()) << checked.status();
  return checked.ok() ? run_loop(std::get<op::While>(checked->operation)) : std::nullopt;
}

// The values of c0: "0 1 2 3".
std::string values_of(const Loop& loop) {
  const auto run = run_of(module_of(loop));
  if (!run) return "unknown";
  std::string text;
  for (const LoopState& state : run->states) {
    const auto value = state.find(0);
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    value == state.end() ? "?" : absl::StrCat(value->second));
  }
  return text;
}

TEST(LoopRun, TheExampleOfTheHeader) { EXPECT_EQ(values_of({}), "0 1 2 3"); }

TEST(LoopRun, OperationsOnTheCounter) {
  EXPECT_EQ(values_of({.body = "n0 = s32[] subtract(five, c0)"}), "0 5");
  EXPECT_EQ(values_of({.c0 = "1", .body = "n0 = s32[] add(c0, c0)", .limit = "9"}), "1 2 4 8 16");
  EXPECT_EQ(values_of({.c0 = "9",
                       .body = "t2 = s32[] add(one, one)\n n0 = s32[] divide(c0, t2)",
                       .test = "compare(c0, one), direction=GE"}),
            "9 4 2 1 0");
  EXPECT_EQ(values_of({.body = "a = s32[] add(c0, five)\n n0 = s32[] maximum(a, c1)"}), "0 7");
  EXPECT_EQ(values_of({.body = "a = s32[] add(c0, five)\n n0 = s32[] minimum(a, limit)"}), "0 3");
  EXPECT_EQ(values_of({.body = "n0 = s32[] negate(c0)", .limit = "0"}), "0");
}

TEST(LoopRun, RemaindersAndOtherTypes) {
  EXPECT_EQ(values_of({.c0 = "7",
                       .body = "n0 = s32[] remainder(c0, five)",
                       .test = "compare(c0, five), direction=GE"}),
            "7 2");
  EXPECT_EQ(
      values_of({.body = "w = s64[] convert(c0)\n o = s64[] constant(2)\n m = s64[] add(w, o)\n"
                         " n0 = s32[] convert(m)"}),
      "0 2 4");
  // A bitcast to another type of the same width keeps the bits, not the number.
  EXPECT_EQ(values_of({.body = "a = s32[] add(c0, one)\n n0 = s32[] bitcast(a)"}), "0 1 2 3");
  EXPECT_EQ(values_of({.body = "a = s32[] add(c0, one)\n u = u32[] bitcast(a)\n n0 = s32[] "
                               "convert(u)"}),
            "unknown");
}

// clamp(low, x, high) is min(max(low, x), high), even if low exceeds high.
TEST(LoopRun, AClampIsAtMostItsUpperBound) {
  EXPECT_EQ(values_of({.body = "n0 = s32[] clamp(one, five, limit)"}), "0 3");
  EXPECT_EQ(values_of({.body = "n0 = s32[] clamp(five, one, limit)"}), "0 3");
}

TEST(LoopRun, ASelectTakesWhatItsPredicateSays) {
  const auto with = [](const std::string& direction) {
    return values_of({.body = "p = pred[] compare(c0, one), direction=" + direction +
                              "\n n0 = s32[] select(p, one, five)"});
  };
  EXPECT_EQ(with("LT"), "0 1 5");
  EXPECT_EQ(with("GE"), "0 5");
  EXPECT_EQ(values_of({.body = "p = pred[] compare(c0, one), direction=LT\n q = pred[] not(p)\n n0 "
                               "= s32[] select(q, one, five)"}),
            "0 5");
}

TEST(LoopRun, ANumberBeyondItsTypeIsUnknown) {
  Loop loop{
      .c0 = "125", .test = "compare(c0, limit), direction=NE", .limit = "127", .type = "s8[]"};
  EXPECT_EQ(values_of(loop), "125 126 127");
  loop.limit = "-127";  // behind 127 and -128
  EXPECT_EQ(values_of(loop), "unknown");
  loop.body = "n0 = TYPE add(c0, five)";
  loop.test = "compare(c0, limit), direction=LT";
  loop.limit = "127";
  EXPECT_EQ(values_of(loop), "unknown");  // 130 of s8 is -126
  loop.body = Loop().body;
  loop.test = "compare(c0, limit), direction=NE";
  loop.type = "s16[]";
  loop.limit = "130";
  EXPECT_EQ(values_of(loop), "125 126 127 128 129 130");
}

TEST(LoopRun, AtMost65536IterationsAreRun) {
  EXPECT_EQ(run_of(module_of({.limit = "65536"}))->trips(), 65536);
  EXPECT_FALSE(run_of(module_of({.limit = "65537"})));
}

TEST(LoopRun, WhatTheBodyHandsOnPassesThrough) {
  const HloModule kept = module_of({});
  EXPECT_FALSE(passes_through(kept, 0, 0));
  EXPECT_TRUE(passes_through(kept, 0, 1));
  const HloModule swapped =
      module_of({.body = "n0 = s32[] copy(c1)\n n1 = s32[] copy(c0)", .limit = "0"});
  EXPECT_FALSE(passes_through(swapped, 0, 0));
  EXPECT_FALSE(passes_through(swapped, 0, 1));
}

// The rows of x that are summed up: each iteration draws an index of its own.
TEST(LoopRun, AnUnknownIndexMayDifferInEachIteration) {
  const auto module = parse_hlo_module(R"(HloModule m
body {
  s = (s32[], f32[1], f32[4]) parameter(0)
  c = s32[] get-tuple-element(s), index=0
  y = f32[1] get-tuple-element(s), index=1
  x = f32[4] get-tuple-element(s), index=2
  one = s32[] constant(1)
  zero = s32[] constant(0)
  four = s32[] constant(4)
  n = s32[] add(c, one)
  u = s32[] rng(zero, four), distribution=rng_uniform
  d = f32[1] dynamic-slice(x, u), dynamic_slice_sizes={1}
  a = f32[1] add(y, d)
  ROOT r = (s32[], f32[1], f32[4]) tuple(n, a, x)
}
cond {
  s = (s32[], f32[1], f32[4]) parameter(0)
  c = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)
  ROOT p = pred[] compare(c, three), direction=LT
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[1] parameter(1)
  c = s32[] constant(0)
  t = (s32[], f32[1], f32[4]) tuple(c, y, x)
  ROOT w = (s32[], f32[1], f32[4]) while(t), condition=cond, body=body
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto iteration = [](const HloElement& element) -> int64_t { return element.calls.back(); };
  const int32_t root = module->computations[module->entry].root;
  const auto found = provenance(*module, module->entry, root, 1, Scope::kComputation, iteration);
  ASSERT_TRUE(found.ok()) << found.status();
  std::set<int64_t> read;
  for (const Source& source : *found->elements[0]) {
    if (source.operand == 0) read.insert(source.element);
  }
  EXPECT_EQ(read, (std::set<int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace tileproof::spec

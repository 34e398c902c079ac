// SPDX-License-Identifier: Apache-2.0
// The interpreter: whole computations, runtime values and limits. Also the examples of the seed
// "Indexing analysis": spec/map/map_evaluation.h enumerates each map, and the elements must agree.
#include "spec/hlo/provenance.h"

#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/hlo/loop_run.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/hlo/provenance_testing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HloModule module_of(absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *module;
}

int64_t zero(const HloElement&) { return 0; }

absl::StatusOr<Provenance> of_root(const HloModule& module, Scope scope,
                                   RuntimeValues values = zero, const Limits& limits = {}) {
  const HloComputation& entry = module.computations[module.entry];
  return provenance(module, module.entry, entry.root, 0, scope, values, limits);
}

// ---- Computations ----

TEST(Computation, UnitesTheSetsOfAllPaths) {
  const HloModule module = module_of(
      "p = f32[4] parameter(0)\nr = f32[4] reverse(p), dimensions={0}\na = f32[4] add(p, r)");
  const auto result = of_root(module, Scope::kComputation);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->dims, ElementsAre(4));
  EXPECT_THAT(*result->elements[0], ElementsAre(Source{0, 0, 0}, Source{0, 0, 3}));
  EXPECT_THAT(*result->elements[2], ElementsAre(Source{0, 0, 1}, Source{0, 0, 2}));
  EXPECT_EQ(result->sources, (std::vector<std::vector<Dims>>{{{4}}}));
}

constexpr const char* kFusion = R"(
HloModule m
f {
  a = f32[2,2] parameter(0)
  b = f32[2] parameter(1)
  t = f32[2,2] transpose(a), dimensions={1,0}
  c = f32[2,2] broadcast(b), dimensions={0}
  s = f32[2,2] add(t, c)
  ROOT r = (f32[2,2], f32[2,2]) tuple(a, s)
}
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2,2] parameter(1)
  fusion = (f32[2,2], f32[2,2]) fusion(y, x), kind=kLoop, calls=f
  ROOT g = f32[2,2] get-tuple-element(fusion), index=1
})";

TEST(Computation, EntersFusions) {
  EXPECT_EQ(dataflow_text(kFusion, {.operand = 1, .scope = Scope::kComputation}), "0 | 2 | 1 | 3");
  EXPECT_EQ(dataflow_text(kFusion, {.operand = 0, .scope = Scope::kComputation}), "0 | 0 | 1 | 1");
  // In the scope of the root alone, the operand is the fusion.
  EXPECT_EQ(dataflow_text(kFusion, {.operand_leaf = 1}), "0 | 1 | 2 | 3");
  EXPECT_EQ(dataflow_text(kFusion, {.operand_leaf = 0}), "- | - | - | -");
}

TEST(Computation, InTheScopeOfAFusionItsOperandsAreTheSources) {
  const HloModule module = module_of(kFusion);
  const int32_t fusion = find_instruction(module.computations[1], "fusion");
  const auto result = provenance(module, 1, fusion, 1, Scope::kInstruction, zero);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(*result->elements[1], ElementsAre(Source{0, 0, 2}, Source{1, 0, 0}));
}

TEST(Computation, EntersCallsAsynchronousOperationsAndTheirShortForms) {
  const std::string head =
      "f {\n a = f32[3] parameter(0)\n ROOT r = f32[3] reverse(a), dimensions={0}\n}\n"
      "ENTRY e {\n p = f32[3] parameter(0)\n";
  const Asked whole = {.scope = Scope::kComputation};
  EXPECT_EQ(dataflow_text(head + "ROOT c = f32[3] call(p), to_apply=f\n}", whole), "2 | 1 | 0");
  EXPECT_EQ(dataflow_text(head + "s = ((f32[3]), f32[3], u32[]) async-start(p), calls=f\n"
                                 "u = ((f32[3]), f32[3], u32[]) async-update(s)\n"
                                 "ROOT d = f32[3] async-done(u)\n}",
                          whole),
            "2 | 1 | 0");
  EXPECT_EQ(dataflow_text(head + "s = ((f32[3]), f32[2], u32[]) slice-start(p), slice={[1:3]}\n"
                                 "ROOT d = f32[2] slice-done(s)\n}",
                          whole),
            "1 | 2");
  EXPECT_THAT(dataflow_text(head + "ROOT c = f32[2] call(p), to_apply=f\n}", whole),
              HasSubstr("c: expected part 0 of the result of dimensions [3], found [2]"));
}

TEST(Computation, NamesConservativeInstructionsInside) {
  const auto result = of_root(
      module_of("p = f32[2] parameter(0)\nk = f32[2] custom-call(p), custom_call_target=\"x\"\n"
                "r = f32[2] negate(k)"),
      Scope::kComputation);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->conservative, ElementsAre("k: custom-call \"x\": opaque"));
  EXPECT_THAT(*result->elements[0], ElementsAre(Source{0, 0, 0}, Source{0, 0, 1}));
}

// A state of four leaves that move on: the last is the first of two iterations before.
std::string moving_loop(absl::string_view counter) {
  return absl::StrCat(R"(HloModule m
body {
  s = (s32[], f32[1], f32[1], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[1] get-tuple-element(s), index=1
  b = f32[1] get-tuple-element(s), index=2
  one = s32[] constant(1)
  k = s32[] add(i, one)
  n = f32[1] negate(a)
  ROOT t = (s32[], f32[1], f32[1], f32[1]) tuple(k, n, a, b)
}
cond {
  s = (s32[], f32[1], f32[1], f32[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  two = s32[] constant(2)
  ROOT c = pred[] compare(i, two), direction=LT
}
ENTRY e {
  a = f32[1] parameter(0)
  b = f32[1] parameter(1)
  c = f32[1] parameter(2)
  j = s32[] parameter(3)
  zero = s32[] constant(0)
  p = (s32[], f32[1], f32[1], f32[1]) tuple()",
                      counter, R"(, a, b, c)
  w = (s32[], f32[1], f32[1], f32[1]) while(p), condition=cond, body=body
  ROOT r = f32[1] get-tuple-element(w), index=3
}
)");
}

TEST(Computation, LeavesMoveThroughTheStateOfALoop) {
  const auto flows = [](absl::string_view counter, int64_t operand) {
    return dataflow_text(moving_loop(counter), {.operand = operand, .scope = Scope::kComputation});
  };
  EXPECT_EQ(flows("zero", 0), "0");  // after two iterations
  EXPECT_EQ(flows("zero", 1), "-");
  EXPECT_EQ(flows("zero", 2), "-");
  for (const int64_t operand : {0, 1, 2, 3}) {  // any number of iterations; the condition reads j
    EXPECT_EQ(flows("j", operand), "0") << operand;
  }
  const auto result = of_root(module_of(moving_loop("j")), Scope::kComputation);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->conservative, ElementsAre(absl::StrCat("w: ", kUnknownLoop)));
}

TEST(Computation, AnOpaqueOperationKeepsItsReason) {
  const auto result =
      of_root(module_of("r = f32[<=2] never-heard-of(f32[<=2] a)"), Scope::kInstruction);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->conservative, ElementsAre("r: never-heard-of: an unknown operation"));
}

// ---- Runtime values ----

std::string sliced(absl::string_view offset) {
  return absl::StrCat("a = f32[5] parameter(0)\nq = s32[] parameter(1)\n", offset,
                      "\nr = f32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}");
}

std::string first_source(absl::string_view text, int64_t value) {
  const auto result =
      of_root(module_of(text), Scope::kComputation, [=](const HloElement&) { return value; });
  if (!result.ok()) return std::string(result.status().message());
  return absl::StrCat(result->elements[0]->front().element);
}

TEST(RuntimeValues, TakesTheTrueValuesOfConstantsAndIotasInTheRegion) {
  EXPECT_EQ(first_source(sliced("i = s32[] constant(3)"), 1), "3");
  EXPECT_EQ(first_source(sliced("i = s32[] constant(-3)"), 1), "0");
  EXPECT_EQ(first_source(sliced("i = s64[] constant(9223372036854775807)"), 1), "4");
  EXPECT_EQ(first_source(sliced("i = u64[] constant(18446744073709551615)"), 1), "4");
  EXPECT_EQ(first_source(sliced("i = s32[] negate(q)"), 1), "1");
  EXPECT_EQ(first_source(sliced("v = s32[3] iota(), iota_dimension=0\n"
                                "w = s32[1] slice(v), slice={[2:3]}\ni = s32[] reshape(w)"),
                         1),
            "2");
}

// The parser refuses constants that do not fit their type.
TEST(RuntimeValues, AConstantHasTheValueOfItsType) {
  EXPECT_EQ(first_source(sliced("i = f32[] constant(3)"), 1), "1");  // not known
  EXPECT_EQ(first_source(sliced("i = u8[] constant(255)"), 1), "4");
  EXPECT_EQ(first_source(sliced("i = s8[] constant(-128)"), 1), "0");
}

// XLA reads element 4 for the bits of -1 as an unsigned number, and clamps -1 to 0.
TEST(RuntimeValues, ABitcastToAnotherElementTypeIsNoMove) {
  EXPECT_EQ(first_source(sliced("c = s32[] constant(-1)\ni = u32[] bitcast(c)"), 1), "1");
  EXPECT_EQ(first_source(sliced("c = s32[] constant(-1)\ni = u32[] bitcast-convert(c)"), 1), "1");
  EXPECT_EQ(first_source(sliced("c = s32[] constant(-1)\ni = s32[] bitcast(c)"), 1), "0");
}

// XLA's values: an iota counts modulo the size of its type.
TEST(RuntimeValues, AnIotaCountsModuloTheSizeOfItsType) {
  const auto element = [](const std::string& type, int64_t i) {
    return first_source(sliced(absl::StrCat("v = ", type, "[300] iota(), iota_dimension=0\nw = ",
                                            type, "[1] slice(v), slice={[", i, ":", i + 1,
                                            "]}\ni = ", type, "[] reshape(w)")),
                        1);
  };
  EXPECT_EQ(element("u8", 255), "4");
  EXPECT_EQ(element("u8", 256), "0");
  EXPECT_EQ(element("u8", 258), "2");
  EXPECT_EQ(element("s8", 127), "4");
  EXPECT_EQ(element("s8", 128), "0");  // -128
  EXPECT_EQ(element("s8", 259), "3");
  EXPECT_EQ(element("u4", 18), "2");
  EXPECT_EQ(element("s4", 10), "0");  // -6
  EXPECT_EQ(element("s32", 258), "4");
  EXPECT_EQ(first_source(sliced("v = u8[257] iota(), iota_dimension=0\n"
                                "w = u8[1] slice(v), slice={[256:257]}\ni = u8[] reshape(w)"),
                         1),
            "0");
  EXPECT_EQ(element("f32", 3), "1");  // not known
}

TEST(RuntimeValues, AValueIsFollowedIntoACallAndBack) {
  const HloModule module = module_of(
      "f {\n a = s32[3] parameter(0)\n n = s32[3] negate(a)\n k = s32[] constant(2)\n"
      " s = s32[1] slice(a), slice={[1:2]}\n e = s32[] reshape(s)\n"
      " m = s32[1] slice(n), slice={[1:2]}\n g = s32[] reshape(m)\n"
      " ROOT t = (s32[], s32[], s32[]) tuple(k, e, g)\n}\n"
      "ENTRY e {\n p = f32[9,9,9] parameter(0)\n q = s32[3] parameter(1)\n"
      " c = (s32[], s32[], s32[]) call(q), to_apply=f\n"
      " x = s32[] get-tuple-element(c), index=0\n y = s32[] get-tuple-element(c), index=1\n"
      " z = s32[] get-tuple-element(c), index=2\n"
      " ROOT r = f32[1,1,1] dynamic-slice(p, x, y, z), dynamic_slice_sizes={1,1,1}\n}");
  const auto result = of_root(module, Scope::kComputation, zero);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->reads,
              ElementsAre(RuntimeRead{HloElement{1, 3, 0, {}}, HloElement{0, 2, 0, {}, {2}}, 2},
                          RuntimeRead{HloElement{1, 4, 0, {}}, HloElement{1, 1, 0, {1}}, 0},
                          RuntimeRead{HloElement{1, 5, 0, {}}, HloElement{0, 1, 0, {1}, {2}}, 0}));
}

TEST(RuntimeValues, AsksForOperandsOfTheInstructionInItsOwnScope) {
  const HloModule module = module_of(sliced("i = s32[] constant(3)"));
  const auto result = of_root(module, Scope::kInstruction, [](const HloElement&) { return 1; });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->elements[0]->front().element, 1);
}

TEST(RuntimeValues, ResolvesSourcesThroughCallersAndReportsBothPositions) {
  const HloModule module = module_of(
      "f {\n a = f32[5] parameter(0)\n o = s32[] parameter(1)\n"
      " ROOT r = f32[1] dynamic-slice(a, o), dynamic_slice_sizes={1}\n}\n"
      "ENTRY e {\n p = f32[5] parameter(0)\n q = s32[1] parameter(1)\n c = s32[] reshape(q)\n"
      " ROOT k = f32[1] fusion(p, c), kind=kLoop, calls=f\n}");
  const auto result = of_root(module, Scope::kComputation, [](const HloElement& position) {
    return position.computation == 1 && position.instruction == 1 ? 7 : 0;
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(*result->elements[0], ElementsAre(Source{0, 0, 4}, Source{1, 0, 0}));
  EXPECT_THAT(result->reads,
              ElementsAre(RuntimeRead{HloElement{0, 1, 0, {}, {3}}, HloElement{1, 1, 0, {0}}, 7}));
}

TEST(RuntimeValues, ReadsATableOfIndicesRowByRow) {
  const auto result =
      of_root(module_of("a = f32[4] parameter(0)\ni = s32[2,1] constant({ {3}, { /*x*/ 1 } })\n"
                        "g = f32[2] gather(a, i), offset_dims={}, collapsed_slice_dims={0}, "
                        "start_index_map={0}, index_vector_dim=1, slice_sizes={1}"),
              Scope::kComputation);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->elements[0]->front().element, 3);
  EXPECT_EQ(result->elements[1]->front().element, 1);
  EXPECT_EQ(result->reads.size(), 2);
}

TEST(RuntimeValues, ArbitraryValuesDependOnTheElementAndAreSometimesFarOut) {
  std::set<int64_t> values;
  for (int64_t i = 0; i < 200; ++i) {
    const HloElement position{1, 2, 0, {i}};
    EXPECT_EQ(arbitrary_value(position, 5, 3), arbitrary_value(position, 5, 3));
    values.insert(arbitrary_value(position, 5, 3));
  }
  for (int64_t near = -2; near <= 6; ++near) EXPECT_TRUE(values.contains(near)) << near;
  EXPECT_LT(*values.begin(), -1'000'000);
  EXPECT_GT(*values.rbegin(), 1'000'000);
}

// Recorded campaigns name their seed: the same values must come back.
TEST(RuntimeValues, ArbitraryValuesStayTheSame) {
  std::string found;
  for (int32_t i = 0; i < 60; ++i) {
    const HloElement position{i % 3, i % 5, i % 2, {i, 2 * i}, {i % 7}};
    const int64_t value =
        arbitrary_value(position, static_cast<uint64_t>(i) << (i % 9), i % 11 - 2);
    absl::StrAppend(&found, found.empty() ? "" : " ", value);
  }
  EXPECT_EQ(
      found,
      "-1 -2 -2 -2 4 6 -9223372036854775807 0 4 9223372036854775805 13 -1 -1 0 2 0 -1 "
      "9223372036854775805 9 9 10 9223372036854775806 -1 0 0 1 -2 5 0 8 9 13 16 -2 0 -2 1 0 "
      "9223372036854775807 0 -2 -1 1 -1 0 -9223372036854775808 -2 -1 1 9223372036854775806 2 6 5 "
      "6 12 -1 0 -2 1 -1");
}

// ---- Limits and errors ----

TEST(Limits, RefusesLargeModulesAtOnce) {
  const auto large = of_root(module_of("r = f32[1000000,1000000] negate(f32[1000000,1000000] a)"),
                             Scope::kComputation);
  EXPECT_EQ(large.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(large.status().message()), HasSubstr("too large to enumerate"));
  const auto work = of_root(module_of("r = f32[500,500] dot(f32[500,500] a, f32[500,500] b), "
                                      "lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
                            Scope::kInstruction, zero);
  EXPECT_THAT(std::string(work.status().message()), HasSubstr("r: too large to enumerate"));
}

TEST(Limits, IgnoresTheSizeOfUnneededArrays) {
  EXPECT_EQ(dataflow_text("a = f32[1000000,1000000] parameter(0)\nb = f32[2] parameter(1)\n"
                          "t = (f32[1000000,1000000], f32[2]) tuple(a, b)\n"
                          "g = f32[2] get-tuple-element(t), index=1",
                          {.operand = 1, .scope = Scope::kComputation}),
            "0 | 1");
}

TEST(Limits, CallsThatNestDeeplyOrDoubleEndWithAnError) {
  // Each computation calls the one before it twice: 2^60 calls in all.
  std::string text = "f0 {\n p = f32[] parameter(0)\n ROOT r = f32[] negate(p)\n}\n";
  for (int i = 1; i <= 60; ++i) {
    absl::StrAppend(&text, "f", i, " {\n p = f32[] parameter(0)\n a = f32[] call(p), to_apply=f",
                    i - 1, "\n ROOT r = f32[] call(a), to_apply=f", i - 1, "\n}\n");
  }
  const auto doubled = of_root(module_of(text), Scope::kComputation, zero, {.work = 1'000'000});
  EXPECT_EQ(doubled.status().code(), absl::StatusCode::kResourceExhausted) << doubled.status();
  std::string deep = "f0 {\n p = f32[] parameter(0)\n ROOT r = f32[] negate(p)\n}\n";
  for (int i = 1; i <= 5000; ++i) {
    absl::StrAppend(&deep, "f", i,
                    " {\n p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=f", i - 1,
                    "\n}\n");
  }
  const auto nested = of_root(module_of(deep), Scope::kComputation);
  EXPECT_THAT(std::string(nested.status().message()), HasSubstr("calls nest deeper than 200"));
}

// Calls and loops count alike, in both scopes.
TEST(Limits, CallsNestUpToTheLimit) {
  const HloModule module = module_of(R"(HloModule m
f {
  p = (f32[1], f32[1]) parameter(0)
  a = f32[1] get-tuple-element(p), index=0
  b = f32[1] get-tuple-element(p), index=1
  ROOT r = (f32[1], f32[1]) tuple(b, a)
}
g {
  p = (f32[1], f32[1]) parameter(0)
  ROOT r = (f32[1], f32[1]) call(p), to_apply=f
}
c {
  p = (f32[1], f32[1]) parameter(0)
  ROOT r = pred[] constant(false)
}
d {
  p = (f32[1], f32[1]) parameter(0)
  ROOT r = pred[] call(p), to_apply=c
}
h {
  p = (f32[1], f32[1]) parameter(0)
  ROOT r = (f32[1], f32[1]) while(p), condition=c, body=f
}
ENTRY e {
  p = (f32[1], f32[1]) parameter(0)
  one = (f32[1], f32[1]) call(p), to_apply=f
  loop = (f32[1], f32[1]) while(p), condition=c, body=f
  two = (f32[1], f32[1]) call(p), to_apply=g
  k = pred[] parameter(1)
  branch = (f32[1], f32[1]) conditional(k, p, p), branch_computations={f, f}
  branches = (f32[1], f32[1]) conditional(k, p, p), branch_computations={f, g}
  calling = (f32[1], f32[1]) while(p), condition=c, body=g
  asking = (f32[1], f32[1]) while(p), condition=d, body=f
  ROOT looped = (f32[1], f32[1]) call(p), to_apply=h
}
)");
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    for (const auto& [name, depth] : {std::pair("one", 1),
                                      {"loop", 1},
                                      {"branch", 1},
                                      {"two", 2},
                                      {"branches", 2},
                                      {"looped", 2},
                                      {"calling", 2},
                                      {"asking", 2}}) {
      const int32_t at = find_instruction(module.computations[module.entry], name);
      const auto with = [&, at = at](int64_t limit) {
        return provenance(module, module.entry, at, 0, scope, zero, {.depth = limit}).status();
      };
      EXPECT_EQ(with(depth), absl::OkStatus()) << name;
      EXPECT_THAT(std::string(with(depth - 1).message()),
                  HasSubstr(absl::StrCat("calls nest deeper than ", depth - 1)))
          << name;
    }
  }
}

// What a computation needs is found once; what it runs may nest deeper elsewhere.
TEST(Limits, KnownComputationsNestUpToTheLimit) {
  const auto with = [&](absl::string_view inner, int64_t limit) {
    const std::string text = absl::StrCat(R"(HloModule m
f0 {
  p = (s32[], f32[1]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[1] get-tuple-element(p), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  y = f32[1] negate(x)
  ROOT t = (s32[], f32[1]) tuple(n, y)
}
c {
  p = (s32[], f32[1]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  ROOT r = pred[] compare(i, one), direction=LT
}
f1 {
  p = (s32[], f32[1]) parameter(0)
  ROOT r = (s32[], f32[1]) call(p), to_apply=f0
}
f2 {
  p = (s32[], f32[1]) parameter(0)
  ROOT r = (s32[], f32[1]) call(p), to_apply=f1
}
g {
  p = (s32[], f32[1]) parameter(0)
  k = pred[] constant(true)
  zero = s32[] constant(0)
  x = f32[1] get-tuple-element(p), index=1
  q = (s32[], f32[1]) tuple(zero, x)
  ROOT r = (s32[], f32[1]) )",
                                          inner, R"(
}
ENTRY e {
  p = (s32[], f32[1]) parameter(0)
  a = (s32[], f32[1]) call(p), to_apply=g
  ROOT b = (s32[], f32[1]) call(a), to_apply=f2
}
)");
    const HloModule module = module_of(text);
    const int32_t root = module.computations[module.entry].root;
    return std::string(
        provenance(module, module.entry, root, 1, Scope::kComputation, zero, {.depth = limit})
            .status()
            .message());
  };
  for (const char* inner : {"call(q), to_apply=f2", "while(q), condition=c, body=f2",
                            "conditional(k, q, q), branch_computations={f2, f0}",
                            "conditional(k, q, q), branch_computations={f0, f2}"}) {
    EXPECT_EQ(with(inner, 4), "") << inner;
    EXPECT_THAT(with(inner, 3), HasSubstr("calls nest deeper than 3")) << inner;
  }
}

// The least work that suffices. Not the number counts, but that large modules are refused soon.
TEST(Limits, WorkIsCountedForInstructionsPointsAndSources) {
  const auto least = [](absl::string_view text, Scope scope = Scope::kComputation) {
    const HloModule module = module_of(text);
    int64_t work = 0;
    while (!of_root(module, scope, zero, {.work = work}).ok()) ++work;
    return work;
  };
  const std::string a = "a = f32[10] parameter(0)\ni = s32[] parameter(1)\n";
  EXPECT_EQ(least(a + "r = f32[10] negate(a)"), 33);
  EXPECT_EQ(least(a + "r = f32[10] negate(a)", Scope::kInstruction), 30);
  EXPECT_EQ(least(a + "r = f32[20] concatenate(a, a), dimensions={0}"), 74);
  EXPECT_EQ(least(a + "s = f32[10] reverse(a), dimensions={0}\nr = f32[10] add(a, s)"), 76);
  EXPECT_EQ(least(a + "r = f32[10] custom-call(a), custom_call_target=\"k\""), 43);
  EXPECT_EQ(least(a + "s = f32[10] custom-call(a), custom_call_target=\"k\"\n"
                      "r = f32[10] custom-call(a, s), custom_call_target=\"k\""),
            66);
  EXPECT_EQ(least(a + "r = f32[3] dynamic-slice(a, i), dynamic_slice_sizes={3}"), 30);
  EXPECT_EQ(least(a + "c = s32[] copy(i)\n"
                      "r = f32[3] dynamic-slice(a, c), dynamic_slice_sizes={3}"),
            35);
  EXPECT_EQ(least("f {\n q = f32[9] parameter(0)\n ROOT n = f32[9] negate(q)\n}\nENTRY e {\n"
                  " p = pred[] parameter(0)\n a = f32[9] parameter(1)\n"
                  " ROOT r = f32[9] conditional(p, a, a), branch_computations={f, f}\n}"),
            116);
  EXPECT_EQ(least(moving_loop("zero")), 112);
  EXPECT_EQ(least(moving_loop("j")), 74);
  EXPECT_EQ(least(a + "s = f32[5,2] reshape(a)\nz = f32[] constant(0)\n"
                      "r = f32[5] reduce(s, z), dimensions={1}, to_apply=add"),
            64);
}

TEST(Limits, TheArrayThatIsTooLargeIsNamed) {
  const HloModule module = module_of("p = f32[10] parameter(0)\nr = f32[10] negate(p)");
  EXPECT_EQ(of_root(module, Scope::kComputation, zero, {.work = 12}).status().message(),
            "p: too large to enumerate: more than 12 steps");
}

TEST(Limits, AcceptsAHundredThousandElements) {
  const auto result = of_root(module_of("a = f32[100,1000] parameter(0)\n"
                                        "t = f32[1000,100] transpose(a), dimensions={1,0}\n"
                                        "r = f32[100000] reshape(t)"),
                              Scope::kComputation);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(*result->elements[1], ElementsAre(Source{0, 0, 1000}));
}

TEST(Limits, NamesWhatIsTooLarge) {
  EXPECT_EQ(dataflow_text("r = f32[2000,1000] broadcast(f32[] a), dimensions={}"),
            "r: too large to enumerate: elements of [2000,1000]");
  // Each operand fits. Together they have more than 2^32 elements.
  std::string text = "t = (";
  for (int i = 0; i < 4097; ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", "f32[1048576]");
  absl::StrAppend(&text, ") parameter(0)\nr = f32[1048576] get-tuple-element(t), index=0");
  EXPECT_EQ(dataflow_text(text), "too large to enumerate: 4296015872 elements of operands");
}

TEST(Errors, RefusesMissingPositionsAndUnknownShapes) {
  const HloModule module = module_of("r = f32[2] negate(f32[2] a)");
  EXPECT_FALSE(provenance(module, 1, 0, 0, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, 0, 2, 0, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, -1, 0, 0, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, 0, -1, 0, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, 0, 1, 1, Scope::kInstruction, zero).ok());
  EXPECT_FALSE(provenance(module, 0, 1, -1, Scope::kInstruction, zero).ok());
  EXPECT_EQ(dataflow_text("r = reshape(f32[2] a)"), "r: expected a shape");
  EXPECT_THAT(dataflow_text("r = f32[?] negate(f32[?] a)"), HasSubstr("known size, found ?"));
}

// ---- Where an input goes ----

std::string goes_to(const Provenance& inverse) {
  std::string text;
  for (const auto& element : inverse.elements) {
    absl::StrAppend(&text, text.empty() ? "" : " | ");
    for (const Source& s : *element) {
      absl::StrAppend(&text, s.operand, "#", s.leaf, "[", s.element, "]");
    }
  }
  return text;
}

TEST(Inverse, EachElementGoesToElementsOfLeavesOfTheResult) {
  const HloModule module = module_of(
      "p = (f32[2], f32[3]) parameter(0)\nq = s32[] parameter(1)\n"
      "a = f32[2] get-tuple-element(p), index=0\nb = f32[3] get-tuple-element(p), index=1\n"
      "r = f32[3] reverse(b), dimensions={0}\nd = f32[1] dynamic-slice(b, q), "
      "dynamic_slice_sizes={1}\ne = f32[2] dynamic-slice(r, q), dynamic_slice_sizes={2}\n"
      "k = f32[1] custom-call(a), custom_call_target=\"k\"\n"
      "ROOT t = (f32[1], f32[2], f32[1]) tuple(d, e, k)");
  const int32_t root = module.computations[0].root;
  const auto of = [&](int64_t input, Scope scope = Scope::kComputation) {
    return inverse_provenance(module, 0, root, input, scope, [](const HloElement&) { return 1; });
  };
  EXPECT_EQ(*input_count(module, 0, root, Scope::kComputation), 3);
  EXPECT_EQ(*input_count(module, 0, root, Scope::kInstruction), 3);
  const auto first = of(0), second = of(1), index = of(2);
  ASSERT_TRUE(first.ok() && second.ok() && index.ok());
  EXPECT_EQ(goes_to(*first), "0#2[0] | 0#2[0]");
  EXPECT_EQ(goes_to(*second), "0#1[1] | 0#0[0]0#1[0] | ");
  EXPECT_EQ(goes_to(*index), "0#0[0]0#1[0]0#1[1]");
  EXPECT_THAT(second->dims, ElementsAre(3));
  EXPECT_EQ(second->sources, (std::vector<std::vector<Dims>>{{{1}, {2}, {1}}}));
  EXPECT_THAT(second->conservative, ElementsAre("k: custom-call \"k\": opaque"));
  EXPECT_THAT(second->reads,  // by both slices, once
              ElementsAre(RuntimeRead{HloElement{0, 1, 0, {}}, HloElement{0, 1, 0, {}}, 1}));
  EXPECT_EQ(of(3).status(), absl::InvalidArgumentError("t: expected an input below 3, found 3"));
  EXPECT_EQ(of(-1).status(), absl::InvalidArgumentError("t: expected an input below 3, found -1"));
  EXPECT_EQ(goes_to(*of(1, Scope::kInstruction)), "0#1[0] | 0#1[1]");
  const HloModule bare = module_of("r = frobnicate(f32[2] a)");
  EXPECT_EQ(inverse_provenance(bare, 0, 1, 0, Scope::kInstruction, zero).status(),
            absl::InvalidArgumentError("r: expected a shape"));
}

TEST(Inverse, ReadsAreSortedByTheirPositions) {
  const HloModule module = module_of(
      "p = f32[3] parameter(0)\nq = s32[] parameter(1)\no = s32[] parameter(2)\n"
      "x = s32[] copy(o)\ny = s32[] copy(q)\n"
      "d = f32[1] dynamic-slice(p, y), dynamic_slice_sizes={1}\n"
      "e = f32[2] dynamic-slice(p, x), dynamic_slice_sizes={2}\n"
      "ROOT t = (f32[1], f32[2]) tuple(d, e)");
  const auto inverse = inverse_provenance(module, 0, 7, 0, Scope::kComputation, zero);
  ASSERT_TRUE(inverse.ok()) << inverse.status();
  EXPECT_THAT(inverse->reads,
              ElementsAre(RuntimeRead{HloElement{0, 3, 0, {}}, HloElement{0, 2, 0, {}}, 0},
                          RuntimeRead{HloElement{0, 4, 0, {}}, HloElement{0, 1, 0, {}}, 0}));
}

TEST(Inverse, RefusesALargeInputThatDoesNotMatter) {
  const HloModule module =
      module_of("a = f32[5] parameter(0)\nb = f32[4] parameter(1)\nr = f32[4] negate(b)");
  const auto with = [&](int64_t elements) {
    return inverse_provenance(module, 0, 2, 0, Scope::kComputation, zero, {.elements = elements})
        .status();
  };
  EXPECT_EQ(with(5), absl::OkStatus());
  EXPECT_EQ(with(4), absl::ResourceExhaustedError("r: too large to enumerate"));
}

// The parser refuses parameters that are not numbered from 0.
TEST(Errors, RefusesAHandMadeParameter) {
  HloModule module = module_of("p = f32[4] parameter(0)\nROOT q = f32[4] negate(p)");
  module.computations[0].instructions[0].parameter_number = 1;
  EXPECT_EQ(of_root(module, Scope::kComputation).status(),
            absl::InvalidArgumentError("p: expected an operand 1"));
}

// The parser refuses such a shape.
TEST(Errors, RefusesAHandMadeShapeWithTooManyElements) {
  HloModule module = module_of("p = f32[4] parameter(0)\nROOT q = f32[4] negate(p)");
  const int64_t half = int64_t{1} << 32;
  for (HloInstruction& instruction : module.computations[0].instructions) {
    instruction.shape = SharedShape(make_array(ElementType::kF32, {half, half, 2}));
  }
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    EXPECT_EQ(of_root(module, scope).status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(inverse_provenance(module, 0, 1, 0, scope, zero).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  HloModule iota = module_of("p = f32[4] parameter(0)\nROOT q = s32[4] iota(), iota_dimension=0");
  for (HloInstruction& instruction : iota.computations[0].instructions) {
    instruction.shape = SharedShape(make_array(ElementType::kS32, {half, half, 2}));
  }
  EXPECT_EQ(of_root(iota, Scope::kComputation).status().code(),
            absl::StatusCode::kResourceExhausted);
  HloModule unused = module_of("p = f32[4] parameter(0)\nROOT q = s32[4] iota(), iota_dimension=0");
  unused.computations[0].instructions[0].shape =
      SharedShape(make_array(ElementType::kF32, {half, half, 2}));
  EXPECT_EQ(of_root(unused, Scope::kComputation).status(), absl::OkStatus());
  EXPECT_EQ(inverse_provenance(unused, 0, 1, 0, Scope::kComputation, zero).status().code(),
            absl::StatusCode::kResourceExhausted);
}

// ---- The examples of the document ----

// For each element, the row-major numbers of the elements that a list of maps gives.
std::vector<std::set<int64_t>> enumerated(const std::vector<std::string>& maps, const Dims& out,
                                          const Dims& in) {
  std::vector<std::set<int64_t>> dependences(
      std::accumulate(out.begin(), out.end(), size_t{1},
                      [](size_t n, int64_t d) { return n * static_cast<size_t>(d); }));
  for (const std::string& text : maps) {
    const IndexingMap map = *parse_map(text);
    const absl::Status status =
        for_each_point(map, 1 << 26, [&](const Point& point, const std::vector<int64_t>& index) {
          for (size_t d = 0; d < in.size(); ++d) {
            EXPECT_TRUE(0 <= index[d] && index[d] < in[d]) << text;
          }
          dependences[element_number(out, point.dims)].insert(element_number(in, index));
          return true;
        });
    EXPECT_TRUE(status.ok()) << status;
  }
  return dependences;
}

struct Example {
  const char* name;
  std::string hlo;
  std::vector<std::vector<std::string>> maps;  // by parameter
  int64_t leaf = 0;
};

// The document's examples without offsets. Shapes that are too large to enumerate are smaller here.
std::vector<Example> examples() {
  const std::string f12 = "domain: d0 in [0, 9], d1 in [0, 19]";
  const std::string f3 = "domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]";
  return {
      {"elementwise",
       "r = f32[10,20] add(f32[10,20] p0, f32[10,20] p1)",
       {{"(d0, d1) -> (d0, d1), " + f12}, {"(d0, d1) -> (d0, d1), " + f12}}},
      {"broadcast",
       "r = f32[10,20,30] broadcast(f32[20] p0), dimensions={1}",
       {{"(d0, d1, d2) -> (d1), " + f3}}},
      {"transpose",
       "r = f32[3,6,12,28] transpose(f32[3,28,6,12] p0), dimensions={0,2,3,1}",
       {{"(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in [0, 5], d2 in [0, 11], "
         "d3 in [0, 27]"}}},
      {"reverse",
       "r = f32[1,17,9,9] reverse(f32[1,17,9,9] p0), dimensions={1,2}",
       {{"(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in [0, 16], "
         "d2 in [0, 8], d3 in [0, 8]"}}},
      {"variadic reduce",
       "r = (f32[10], s32[10]) reduce(f32[256,10] p0, s32[256,10] p1, f32[] i0, s32[] i1), "
       "dimensions={0}, to_apply=max",
       {{"(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"},
        {"(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"},
        {"(d0) -> (), domain: d0 in [0, 9]"},
        {"(d0) -> (), domain: d0 in [0, 9]"}},
       1},
      {"slice",
       "r = f32[5,3,25] slice(f32[10,20,50] p0), slice={[5:10:1], [3:20:7], [0:50:2]}",
       {{"(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in [0, 2], "
         "d2 in [0, 24]"}}},
      {"collapse",
       "r = f32[32] reshape(f32[4,8] p0)",
       {{"(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"}}},
      {"expand",
       "r = f32[4,8] reshape(f32[32] p0)",
       {{"(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"}}},
      {"reshape 1",
       "r = f32[2,4,4] reshape(f32[4,8] p0)",
       {{"(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4), domain: d0 in [0, 1], "
         "d1 in [0, 3], d2 in [0, 3]"}}},
      {"reshape 2",
       "r = f32[32,3,4] reshape(f32[4,8,12] p0)",
       {{"(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), domain: d0 in [0, 31], "
         "d1 in [0, 2], d2 in [0, 3]"}}},
      {"concatenate",
       "r = f32[2,33,7] concatenate(f32[2,5,7] p0, f32[2,11,7] p1, f32[2,17,7] p2), dimensions={1}",
       {{"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]"},
        {"(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], d1 in [5, 15], d2 in [0, 6]"},
        {"(d0, d1, d2) -> (d0, d1 - 16, d2), domain: d0 in [0, 1], d1 in [16, 32], d2 in [0, 6]"}}},
      {"dot",
       "r = f32[4,12,6] dot(f32[4,12,25] p0, f32[4,25,6] p1), lhs_batch_dims={0}, "
       "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
       {{"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 11], d2 in [0, 5], "
         "s0 in [0, 24]"},
        {"(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 11], d2 in [0, 5], "
         "s0 in [0, 24]"}}},
      // The document's map of the padding value covers the whole result. The value flows only to
      // the edges and the holes.
      {"pad",
       "r = f32[12,16] pad(f32[4,4] p0, f32[] p1), padding=1_4_1x4_8_0",
       {{"(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], "
         "(d0 - 1) mod 2 in [0, 0]"},
        {"(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 3]",
         "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [8, 15]",
         "(d0, d1) -> (), domain: d0 in [8, 11], d1 in [4, 7]",
         "(d0, d1) -> (), domain: d0 in [0, 7], d1 in [4, 7], d0 mod 2 in [0, 0]"}}},
      {"reduce-window",
       "r = f32[102,3] reduce-window(f32[102,54] p0, f32[] p1), window={size=1x52 pad=0_0x0_0}, "
       "to_apply=max",
       {{"(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 101], d1 in [0, 2], s0 in [0, 51]"},
        {"(d0, d1) -> (), domain: d0 in [0, 101], d1 in [0, 2]"}}},
      {"p0 + transpose(p0)",
       "p0 = f32[100,100] parameter(0)\nt = f32[100,100]{0,1} transpose(p0), dimensions={1,0}\n"
       "r = f32[100,100] add(p0, t)",
       {{"(d0, d1) -> (d0, d1), domain: d0 in [0, 99], d1 in [0, 99]",
         "(d0, d1) -> (d1, d0), domain: d0 in [0, 99], d1 in [0, 99]"}}},
      {"one input twice, one map",
       "p0 = f32[20,10,50] parameter(0)\nl1 = f32[10,20,50] transpose(p0), dimensions={1,0,2}\n"
       "le = f32[10,20,50] exponential(l1)\nl2 = f32[10,50,20] transpose(le), dimensions={0,2,1}\n"
       "r1 = f32[50,10,20] transpose(p0), dimensions={2,1,0}\n"
       "re = f32[50,10,20] exponential(r1)\nr2 = f32[10,50,20] transpose(re), dimensions={1,0,2}\n"
       "r = f32[10,50,20] add(l2, r2)",
       {{"(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, 19]"}}},
      {"softmax",
       "p0 = f32[2,6,25] parameter(0)\nm0 = f32[] constant(-inf)\n"
       "m = f32[2,6] reduce(p0, m0), dimensions={2}, to_apply=max\n"
       "mb = f32[2,6,25] broadcast(m), dimensions={0,1}\ns = f32[2,6,25] subtract(p0, mb)\n"
       "e = f32[2,6,25] exponential(s)\nz = f32[] constant(0)\n"
       "t = f32[2,6] reduce(e, z), dimensions={2}, to_apply=sum\n"
       "tb = f32[2,6,25] broadcast(t), dimensions={0,1}\nr = f32[2,6,25] divide(e, tb)",
       {{"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 5], d2 in [0, 24], "
         "s0 in [0, 24]",
         "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 5], d2 in [0, 24]"}}},
      {"reshapes that cancel",
       "p0 = f32[10,10,10] parameter(0)\nq = f32[50,20] reshape(p0)\nr = f32[10,10,10] reshape(q)",
       {{"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"}}},
  };
}

TEST(Document, MapsWithoutOffsetsAreTheDependences) {
  for (const Example& example : examples()) {
    SCOPED_TRACE(example.name);
    const HloModule module = module_of(example.hlo);
    const HloComputation& entry = module.computations[0];
    const auto result = provenance(module, 0, entry.root, example.leaf, Scope::kComputation, zero);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(result->conservative, IsEmpty());
    ASSERT_EQ(example.maps.size(), result->sources.size());
    for (size_t k = 0; k < example.maps.size(); ++k) {
      std::vector<std::set<int64_t>> dependences(result->elements.size());
      for (size_t e = 0; e < dependences.size(); ++e) {
        for (const Source& s : *result->elements[e]) {
          if (s.operand == static_cast<int32_t>(k)) dependences[e].insert(s.element);
        }
      }
      EXPECT_EQ(dependences, enumerated(example.maps[k], result->dims, result->sources[k][0])) << k;
    }
  }
}

}  // namespace
}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// The interpreter: whole computations, runtime values, and where an input goes.
#include "spec/hlo/provenance.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/answers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/hlo/provenance_testing.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

// The analysis follows no list of 65 numbers and no 200 operations; a value has no such limit.
TEST(Computation, AMaskOfAnySizeSaysWhatFlows) {
  std::string list = "1, 1";
  for (int64_t k = 2; k < 65; ++k) absl::StrAppend(&list, ", 0");
  const std::string mask = absl::StrCat("m = pred[65] constant({", list, "})\n");
  std::string sums =
      "n = s32[65] iota(), iota_dimension=0\none = s32[] constant(1)\n"
      "ones = s32[65] broadcast(one), dimensions={}\nv0 = s32[65] add(n, ones)\n";
  for (int64_t k = 0; k < 200; ++k) {
    absl::StrAppend(&sums, "v", k + 1, " = s32[65] add(v", k, ", ones)\n");
  }
  absl::StrAppend(&sums, "last = s32[] constant(203)\nlasts = s32[65] broadcast(last), ",
                  "dimensions={}\nm = pred[65] compare(v200, lasts), direction=LT\n");
  const std::string choice = "select(m, x, y)\n}";
  const std::string parameters = "x = f32[65] parameter(0)\ny = f32[65] parameter(1)\n";
  for (const std::string& text :
       {absl::StrCat("ENTRY e {\n", parameters, mask, "ROOT s = f32[65] ", choice),
        absl::StrCat("ENTRY e {\n", parameters, sums, "ROOT s = f32[65] ", choice),
        absl::StrCat("f {\n", parameters, "m = pred[65] parameter(2)\nROOT s = f32[65] ", choice,
                     "\nENTRY e {\n", parameters, mask,
                     "ROOT c = f32[65] call(x, y, m), to_apply=f\n}")}) {
    const auto result = of_root(module_of(text), Scope::kComputation);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(result->conservative, IsEmpty());
    EXPECT_THAT(*result->elements[1], ElementsAre(Source{0, 0, 1}));
    EXPECT_THAT(*result->elements[2], ElementsAre(Source{1, 0, 2}));
  }
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

TEST(RuntimeValues, Answers) {
  const auto first_source = [](absl::string_view offset) {
    const auto result = of_root(module_of(sliced(offset)), Scope::kComputation,
                                [](const HloElement&) { return 1; });
    return result.ok() ? absl::StrCat(result->elements[0]->front().element)
                       : std::string(result.status().message());
  };
  expect_answers("answers/runtime_values.txt", {{"first", first_source}});
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

// Each iteration adds a row of x to y: one that it draws itself, or that the one before it drew.
std::string drawing_loop(absl::string_view index) {
  return absl::StrCat(R"(HloModule m
body {
  s = (s32[], f32[1], f32[4], s32[]) parameter(0)
  c = s32[] get-tuple-element(s), index=0
  y = f32[1] get-tuple-element(s), index=1
  x = f32[4] get-tuple-element(s), index=2
  last = s32[] get-tuple-element(s), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  four = s32[] constant(4)
  n = s32[] add(c, one)
  u = s32[] rng(zero, four), distribution=rng_uniform
  d = f32[1] dynamic-slice(x, )",
                      index, R"(), dynamic_slice_sizes={1}
  a = f32[1] add(y, d)
  ROOT r = (s32[], f32[1], f32[4], s32[]) tuple(n, a, x, u)
}
cond {
  s = (s32[], f32[1], f32[4], s32[]) parameter(0)
  c = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)
  ROOT p = pred[] compare(c, three), direction=LT
}
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[1] parameter(1)
  first = s32[] parameter(2)
  c = s32[] constant(0)
  t = (s32[], f32[1], f32[4], s32[]) tuple(c, y, x, first)
  v = (s32[], f32[1], f32[4], s32[]) while(t), condition=cond, body=body
  z = f32[1] get-tuple-element(v), index=1
  q = (s32[], f32[1], f32[4], s32[]) tuple(c, z, x, first)
  w = (s32[], f32[1], f32[4], s32[]) while(q), condition=cond, body=body
  ROOT r = f32[1] get-tuple-element(w), index=1
}
)");
}

using Rows = std::set<int64_t>;

// The elements of x that flow into an instruction of the entry, if the indices have these values.
Rows rows_read(const HloModule& module, absl::string_view name, int64_t leaf,
               RuntimeValues values) {
  const int32_t at = find_instruction(module.computations[module.entry], name);
  const auto found = provenance(module, module.entry, at, leaf, Scope::kComputation, values);
  EXPECT_TRUE(found.ok()) << found.status();
  Rows read;
  if (!found.ok()) return read;
  for (const Source& source : *found->elements[0]) {
    if (source.operand == 0) read.insert(source.element);
  }
  return read;
}

TEST(RuntimeValues, AnUnknownIndexMayDifferInEachIteration) {
  const HloModule module = module_of(drawing_loop("u"));
  const auto iteration = [](const HloElement& element) -> int64_t { return element.calls.back(); };
  EXPECT_EQ(rows_read(module, "v", 1, iteration), (Rows{0, 1, 2}));
}

// Wherever the work ends, that is what the error says.
TEST(RuntimeValues, AnIndexThatIsNotFoundInTimeIsAnError) {
  const HloModule module = module_of(drawing_loop("last"));
  const int32_t root = module.computations[module.entry].root;
  int64_t work = 0;
  for (;; ++work) {
    const auto found =
        provenance(module, module.entry, root, 0, Scope::kComputation, zero, {.work = work});
    if (found.ok()) break;
    ASSERT_EQ(found.status().code(), absl::StatusCode::kResourceExhausted) << found.status();
  }
  EXPECT_EQ(work, 781);
}

TEST(RuntimeValues, AnUnknownIndexMayDifferInTwoLoopsOfOneBody) {
  const HloModule module = module_of(drawing_loop("u"));
  const int32_t first = find_instruction(module.computations[module.entry], "v");
  const auto loop = [&](const HloElement& element) -> int64_t {
    return element.calls.front() == first ? 1 : 3;
  };
  EXPECT_EQ(rows_read(module, "r", 0, loop), (Rows{1, 3}));
}

TEST(RuntimeValues, AnIndexOfTheStateIsThatOfTheIterationBefore) {
  const HloModule module = module_of(drawing_loop("last"));
  const auto iteration = [](const HloElement& element) -> int64_t {
    return element.calls.empty() ? 3 : element.calls.back();
  };
  EXPECT_EQ(rows_read(module, "v", 1, iteration), (Rows{0, 1, 3}));
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

}  // namespace
}  // namespace tileproof::spec

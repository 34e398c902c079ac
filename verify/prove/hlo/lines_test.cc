// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/lines.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing_testing.h"
#include "impl/hlo/merge_maps.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/odometer.h"
#include "verify/prove/hlo/definitions.h"
#include "verify/prove/hlo/indexing_proof.h"

namespace tileproof::verify {
namespace {

using impl::module_of;
using Kind = InstructionVerdict::Kind;

// A computation of so many stages, each of which cuts the array before into two pieces and joins
// them again. Without lemmas, stage k has 2^k paths to the parameter, most of them without pairs.
std::string pieces(int stages) {
  std::string text = "f {\n v0 = f32[997] parameter(0)\n";
  for (int k = 0; k < stages; ++k) {
    const int cut = 100 + 17 * k;
    absl::StrAppend(&text, " l", k, " = f32[", cut, "] slice(v", k, "), slice={[0:", cut, "]}\n r",
                    k, " = f32[", 997 - cut, "] slice(v", k, "), slice={[", cut, ":997]}\n v",
                    k + 1, " = f32[997] concatenate(l", k, ", r", k, "), dimensions={0}\n");
  }
  return absl::StrCat(text, " ROOT o = f32[997] negate(v", stages,
                      ")\n}\nENTRY e {\n x = f32[997] parameter(0)\n"
                      " ROOT c = f32[997] call(x), to_apply=f\n}");
}

InstructionVerdict verdict_of(const HloModule& module, impl::Direction direction) {
  VerifySession session;
  session.options.milliseconds = 20'000;
  impl::IndexingAnalysis analysis(module);
  return ModuleVerifier(analysis, session, direction)
      .of(module.entry, module.computations[module.entry].root);
}

int64_t no_value(const RuntimeRead<int64_t>&) { return 0; }

// The elements that the paths read for one element of the call at the root are those that the
// interpreter finds.
void expect_as_interpreted(const HloModule& module, const Paths& paths, const spec::Dims& o) {
  const auto reference =
      spec::provenance(module, module.entry, module.computations[module.entry].root, 0,
                       Scope::kInstruction, [](const spec::HloElement&) -> int64_t { return 0; });
  ASSERT_TRUE(reference.ok()) << reference.status();
  std::set<spec::Source> found;
  for (const DataflowPath& path : paths) {
    const auto& dims = reference->sources[path.operand][path.leaf];
    std::vector<int64_t> s(path.ranges.size(), 0);
    do {
      const auto end = walk<int64_t>(path, o, s, no_value);
      if (!end.in_domain) continue;
      found.insert(
          {path.operand, static_cast<int32_t>(path.leaf), spec::element_number(dims, end.index)});
    } while (next_index(path.ranges, s));
  }
  const auto& expected = *reference->elements[spec::element_number(reference->dims, o)];
  EXPECT_EQ(found, std::set<spec::Source>(expected.begin(), expected.end()));
}

TEST(LinesTest, PathsThatDoubleAreProven) {
  const HloModule module = module_of(pieces(40));
  for (const auto direction : {impl::Direction::kOutputToInput, impl::Direction::kInputToOutput}) {
    const InstructionVerdict verdict = verdict_of(module, direction);
    EXPECT_EQ(verdict.kind, Kind::kProven) << verdict.detail;
    EXPECT_EQ(verdict.maps, 1);
  }
}

// Two padded windows around rows and columns that are read: which element is read is a sum of two
// range variables, one of which is the place in a window.
TEST(LinesTest, WindowsAroundGatheredRows) {
  const HloModule module = module_of(R"(
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }

f {
  x = f32[1,8,8,4] parameter(0)
  k = f32[3,3,4,4] parameter(1)
  i = s32[16,1] parameter(2)
  j = s32[16,1] parameter(3)
  k2 = f32[3,3,4,4] parameter(4)
  zero = f32[] constant(0)
  c = f32[1,8,8,4] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  g = f32[1,16,8,4] gather(c, i), offset_dims={0,2,3}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={1,1,8,4}
  h = f32[1,16,16,4] gather(g, j), offset_dims={0,1,3}, collapsed_slice_dims={2}, start_index_map={2}, index_vector_dim=1, slice_sizes={1,16,1,4}
  d = f32[1,16,16,4] convolution(h, k2), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  m = f32[1,16,16,4] parameter(5)
  pd = f32[1,16,16,8] concatenate(d, m), dimensions={3}
  e = f32[1,16,16,4,2] reshape(pd)
  s = f32[1,4] reduce(e, zero), dimensions={1,2,4}, to_apply=add
  b = f32[1,16,16,4,2] broadcast(s), dimensions={0,3}
  q = f32[1,16,16,8] reshape(b)
  ROOT u = f32[1,16,16,8] add(q, q)
}

ENTRY main {
  x = f32[1,8,8,4] parameter(0)
  k = f32[3,3,4,4] parameter(1)
  i = s32[16,1] parameter(2)
  j = s32[16,1] parameter(3)
  k2 = f32[3,3,4,4] parameter(4)
  m = f32[1,16,16,4] parameter(5)
  ROOT r = f32[1,16,16,8] call(x, k, i, j, k2, m), to_apply=f
}
)");
  const InstructionVerdict verdict = verdict_of(module, impl::Direction::kOutputToInput);
  EXPECT_EQ(verdict.kind, Kind::kProven) << verdict.detail;
  // Whether the first window fits is up to the values that are read: without that it is too much.
  impl::IndexingAnalysis analysis(module);
  const HloComputation& entry = module.computations[module.entry];
  impl::Indexing maps = *analysis.reads(module.entry, entry.root, 0);
  ASSERT_EQ(maps[1][0].maps.size(), 1);
  maps[1][0].maps[0].map.constraints.clear();
  VerifySession session;
  EXPECT_NE(verify_maps(module, module.entry, entry.root, 0, maps, session).kind, Kind::kProven);
}

// The definition of the call is the line of its root: one step for each of its maps.
TEST(LinesTest, TheCallHasTheLineOfItsRoot) {
  const std::string chain = [] {
    std::string text = "f {\n v0 = f32[30,40] parameter(0)\n";
    for (int k = 0; k < 30; k += 2) {
      absl::StrAppend(&text, " v", k + 1, " = f32[40,30] transpose(v", k, "), dimensions={1,0}\n v",
                      k + 2, " = f32[30,40] reshape(v", k + 1, ")\n");
    }
    return absl::StrCat(
        text,
        " ROOT o = f32[30,40] negate(v30)\n}\nENTRY e {\n x = f32[30,40] parameter(0)\n"
        " ROOT c = f32[30,40] call(x), to_apply=f\n}");
  }();
  const HloModule module = module_of(chain);
  impl::IndexingAnalysis analysis(module);
  Definitions definitions(module, analysis);
  const int32_t call = module.computations[module.entry].root;
  const auto definition = definitions.of(module.entry, call, 0);
  ASSERT_TRUE(definition.ok()) << definition.status();
  EXPECT_GT(definitions.lines().proven(), 0);
  ASSERT_EQ(definition->size(), 1);
  EXPECT_LE(definition->front().steps.size(), 3);
  EXPECT_NE(definition->front().steps.back().lemma, nullptr);
  for (const spec::Dims& o : {spec::Dims{0, 0}, {29, 39}, {7, 11}, {20, 1}}) {
    expect_as_interpreted(module, *definition, o);
  }
}

// What is proven of one parameter is used for others that have the same paths. One that enters
// reversed has others.
TEST(LinesTest, ParametersWithTheSameTextShareLines) {
  const std::string text = [] {
    std::string f = "f {\n s0 = f32[30,40] parameter(0)\n",
                main = "ENTRY e {\n x0 = f32[30,40] parameter(0)\n";
    std::string arguments = "x0";
    for (int k = 1; k < 8; ++k) {
      absl::StrAppend(&f, " p", k, " = f32[30,40] parameter(", k, ")\n",
                      k == 5 ? " q5 = f32[30,40] reverse(p5), dimensions={1}\n" : "", " s", k,
                      " = f32[30,40] add(s", k - 1, ", ", k == 5 ? "q" : "p", k, ")\n");
      absl::StrAppend(&main, " x", k, " = f32[30,40] parameter(", k, ")\n");
      absl::StrAppend(&arguments, ", x", k);
    }
    absl::StrAppend(&f, " v0 = f32[30,40] negate(s7)\n");
    for (int k = 0; k < 30; k += 2) {
      absl::StrAppend(&f, " v", k + 1, " = f32[40,30] transpose(v", k, "), dimensions={1,0}\n v",
                      k + 2, " = f32[30,40] reshape(v", k + 1, ")\n");
    }
    return absl::StrCat(f, " ROOT o = f32[30,40] negate(v30)\n}\n", main,
                        " ROOT c = f32[30,40] call(", arguments, "), to_apply=f\n}");
  }();
  const HloModule module = module_of(text);
  const int32_t call = module.computations[module.entry].root;
  impl::IndexingAnalysis analysis(module);
  Definitions definitions(module, analysis);
  const auto definition = definitions.of(module.entry, call, 0);
  ASSERT_TRUE(definition.ok()) << definition.status();
  EXPECT_GE(definitions.lines().reused(), 6);
  ASSERT_EQ(definition->size(), 8);
  for (const spec::Dims& o : {spec::Dims{0, 0}, {29, 39}, {7, 11}}) {
    expect_as_interpreted(module, *definition, o);
  }
  const InstructionVerdict verdict = verdict_of(module, impl::Direction::kOutputToInput);
  EXPECT_EQ(verdict.kind, Kind::kProven) << verdict.detail;
  impl::Indexing maps = *analysis.reads(module.entry, call, 0);
  maps[3][0] = maps[5][0];
  VerifySession session;
  EXPECT_EQ(verify_maps(module, module.entry, call, 0, maps, session).kind, Kind::kRefuted);
}

// Offsets that are read inside of a lemma: positions are those of the caller.
TEST(LinesTest, LemmasReadOffsets) {
  std::string text =
      "f {\n v0 = f32[900] parameter(0)\n i = s32[] parameter(1)\n n = s32[] negate(i)\n";
  for (int k = 0; k < 12; ++k) {
    absl::StrAppend(&text, " s", k, " = f32[450] dynamic-slice(v", k, ", ", k % 2 == 0 ? "i" : "n",
                    "), dynamic_slice_sizes={450}\n b", k, " = f32[2,450] broadcast(s", k,
                    "), dimensions={1}\n v", k + 1, " = f32[900] reshape(b", k, ")\n");
  }
  absl::StrAppend(&text,
                  " ROOT o = f32[900] negate(v12)\n}\n"
                  "ENTRY e {\n x = f32[900] parameter(0)\n j = s32[] parameter(1)\n"
                  " ROOT c = f32[900] call(x, j), to_apply=f\n}");
  const HloModule module = module_of(text);
  const InstructionVerdict verdict = verdict_of(module, impl::Direction::kOutputToInput);
  EXPECT_EQ(verdict.kind, Kind::kProven) << verdict.detail;
}

// A window at the edge reads fewer rows, but all of them have the same sum of the batch: the paths
// through all windows need none of them.
TEST(LinesTest, WindowsAtTheEdgeKeepTheBatch) {
  std::string text = absl::StrCat(impl::kMaximum,
                                  "f {\n x = f32[4,6,8] parameter(0)\n z = f32[] constant(0)\n"
                                  " s = f32[4] reduce(x, z), dimensions={1,2}, to_apply=m\n"
                                  " v0 = f32[4,6] broadcast(s), dimensions={0}\n");
  for (int k = 0; k < 4; ++k) {
    absl::StrAppend(&text, " v", k + 1, " = f32[4,6] reduce-window(v", k,
                    ", z), window={size=1x3 pad=0_0x1_1}, to_apply=m\n");
  }
  absl::StrAppend(&text,
                  " ROOT o = f32[4,6] negate(v4)\n}\nENTRY e {\n x = f32[4,6,8] parameter(0)\n"
                  " ROOT c = f32[4,6] call(x), to_apply=f\n}");
  const HloModule module = module_of(text);
  for (const impl::Direction direction :
       {impl::Direction::kOutputToInput, impl::Direction::kInputToOutput}) {
    EXPECT_EQ(verdict_of(module, direction).kind, Kind::kProven);
  }
}

// Two halves of a batch are the whole of it, which no map alone says.
TEST(LinesTest, TwoHalvesOfABatchAreTheWhole) {
  const HloModule module = module_of(absl::StrCat(
      impl::kMaximum,
      "f {\n x = f32[4,600] parameter(0)\n z = f32[] constant(0)\n"
      " a = f32[4,300] slice(x), slice={[0:4], [0:600:2]}\n"
      " b = f32[4,300] slice(x), slice={[0:4], [1:600:2]}\n"
      " r = f32[4,300] reverse(a), dimensions={1}\n t = f32[300,4] transpose(b), "
      "dimensions={1,0}\n u = f32[4,300] transpose(t), dimensions={1,0}\n"
      " c = f32[4,300] add(r, u)\n d = f32[4,300] reverse(c), dimensions={1}\n"
      " e = f32[4,300] add(c, d)\n s = f32[4] reduce(e, z), dimensions={1}, to_apply=m\n"
      " ROOT o = f32[4] negate(s)\n}\nENTRY e {\n x = f32[4,600] parameter(0)\n"
      " ROOT c = f32[4] call(x), to_apply=f\n}"));
  EXPECT_EQ(verdict_of(module, impl::Direction::kOutputToInput).kind, Kind::kProven);
}

// A wrong map of the call is still refuted or undecided, never proven.
TEST(LinesTest, WrongMapsAreNotProven) {
  const HloModule module = module_of(pieces(40));
  const int32_t call = module.computations[module.entry].root;
  impl::IndexingAnalysis analysis(module);
  impl::Indexing maps = *analysis.reads(module.entry, call);
  impl::merge_maps(maps[0][0].maps);
  ASSERT_EQ(maps[0][0].maps.size(), 1);
  VerifySession session;
  EXPECT_EQ(verify_maps(module, module.entry, call, 0, maps, session).kind, Kind::kProven);
  --maps[0][0].maps[0].map.dimensions[0].bounds.high;
  EXPECT_EQ(verify_maps(module, module.entry, call, 0, maps, session).kind, Kind::kRefuted);
  maps[0][0].maps.clear();
  EXPECT_EQ(verify_maps(module, module.entry, call, 0, maps, session).kind, Kind::kRefuted);
}

// What an instruction does may depend on more than its text: the mask that a select knows, and the
// operand that an offset is read from.
TEST(LinesTest, InstructionsWithTheSameTextMayHaveOtherLines) {
  const HloModule module = module_of(R"(
f {
  x = f32[6] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  r = f32[6] reverse(x), dimensions={0}
  a = pred[6] constant({1, 1, 1, 0, 0, 0})
  b = pred[6] constant({0, 0, 0, 1, 1, 1})
  s = f32[6] select(a, r, x)
  u = f32[6] select(b, r, x)
  s1 = f32[2,3] reshape(s)
  u1 = f32[2,3] reshape(u)
  s2 = f32[2,3] reverse(s1), dimensions={1}
  u2 = f32[2,3] reverse(u1), dimensions={1}
  s3 = f32[6] reshape(s2)
  u3 = f32[6] reshape(u2)
  v = f32[3] dynamic-slice(x, i), dynamic_slice_sizes={3}
  w = f32[3] dynamic-slice(x, j), dynamic_slice_sizes={3}
  v1 = f32[3] reverse(v), dimensions={0}
  w1 = f32[3] reverse(w), dimensions={0}
  v2 = f32[1,3] reshape(v1)
  w2 = f32[1,3] reshape(w1)
  v3 = f32[1,3] reverse(v2), dimensions={1}
  w3 = f32[1,3] reverse(w2), dimensions={1}
  v4 = f32[3] reshape(v3)
  w4 = f32[3] reshape(w3)
  ROOT o = (f32[6], f32[6], f32[3], f32[3]) tuple(s3, u3, v4, w4)
}
ENTRY e {
  x = f32[6] parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  ROOT c = (f32[6], f32[6], f32[3], f32[3]) call(x, i, j), to_apply=f
})");
  for (const auto direction : {impl::Direction::kOutputToInput, impl::Direction::kInputToOutput}) {
    const InstructionVerdict verdict = verdict_of(module, direction);
    EXPECT_EQ(verdict.kind, Kind::kProven) << verdict.detail;
  }
}

// A call that knows a mask has the lines of any call where it makes no difference.
TEST(LinesTest, ACallThatKnowsAMaskUsesLines) {
  std::string text =
      "g {\n v0 = f32[997] parameter(0)\n m = pred[] parameter(1)\n y = f32[997] parameter(2)\n";
  for (int k = 0; k < 20; ++k) {
    const int cut = 100 + 17 * k;
    absl::StrAppend(&text, " l", k, " = f32[", cut, "] slice(v", k, "), slice={[0:", cut, "]}\n r",
                    k, " = f32[", 997 - cut, "] slice(v", k, "), slice={[", cut, ":997]}\n v",
                    k + 1, " = f32[997] concatenate(l", k, ", r", k, "), dimensions={0}\n");
  }
  absl::StrAppend(
      &text,
      " s = f32[997] select(m, y, v20)\n ROOT o = (f32[997], f32[997]) tuple(v20, s)\n}\n"
      "f {\n x = f32[997] parameter(0)\n y = f32[997] parameter(1)\n"
      " m = pred[] constant(false)\n"
      " ROOT c = (f32[997], f32[997]) call(x, m, y), to_apply=g\n}\n"
      "ENTRY e {\n x = f32[997] parameter(0)\n y = f32[997] parameter(1)\n"
      " ROOT c = (f32[997], f32[997]) call(x, y), to_apply=f\n}");
  const InstructionVerdict verdict = verdict_of(module_of(text), impl::Direction::kOutputToInput);
  EXPECT_EQ(verdict.kind, Kind::kProven) << verdict.detail;
}

// Elements of an empty array are read by nothing.
TEST(LinesTest, AnEmptyArrayHasNoLine) {
  const HloModule module = module_of(R"(
m { a = s64[] parameter(0)  b = s64[] parameter(1)  ROOT c = s64[] maximum(a, b) }
f {
  p = s64[] parameter(0)
  i = s32[0,3] parameter(1)
  u = s64[3] parameter(2)
  a = s64[] scatter(p, i, u), update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, index_vector_dim=0, to_apply=m
  ROOT r = s64[] scatter(a, i, u), update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, index_vector_dim=0, to_apply=m
}
ENTRY e {
  p = s64[] parameter(0)
  i = s32[0,3] parameter(1)
  u = s64[3] parameter(2)
  ROOT c = s64[] call(p, i, u), to_apply=f
})");
  impl::IndexingAnalysis analysis(module);
  const auto paths =
      Definitions(module, analysis).of(module.entry, module.computations[module.entry].root, 0);
  ASSERT_TRUE(paths.ok()) << paths.status();
  for (const DataflowPath& path : *paths) EXPECT_NE(path.operand, 1);
}

// A constant predicate of more elements than proofs follow.
std::string long_mask(absl::string_view name) {
  std::string mask = "1";
  for (int k = 1; k < 65; ++k) absl::StrAppend(&mask, ", ", k % 2);
  return absl::StrCat(name, " = pred[65] constant({", mask, "})");
}

// The verdict on the maps of the entry's root, if they claim to be exact.
InstructionVerdict verdict_if_exact(const HloModule& module, VerifySession& session) {
  const int32_t root = module.computations[module.entry].root;
  impl::IndexingAnalysis analysis(module);
  impl::Indexing maps = *analysis.reads(module.entry, root, 0);
  for (auto& operand : maps) operand[0].inexact = false;
  return verify_maps(module, module.entry, root, 0, maps, session);
}

// More is known of these predicates than proofs follow, so that either branch flows is no fact.
TEST(LinesTest, ASelectByAPredicateThatIsNotFollowedIsASuperset) {
  const std::string masks[] = {
      long_mask("p"),
      "i = s32[65] iota(), iota_dimension=0\n o = s32[65] shift-left(i, i)\n"
      " p = pred[65] compare(i, o), direction=LT",
      absl::StrCat(long_mask("k"),
                   "\n i = s32[65] iota(), iota_dimension=0\n"
                   " j = pred[65] compare(i, i), direction=EQ\n p = pred[65] and(j, k)"),
  };
  for (const std::string& predicate : masks) {
    const HloModule module = module_of(absl::StrCat(
        "f {\n x = f32[65] parameter(0)\n y = f32[65] parameter(1)\n ", predicate,
        "\n ROOT s = f32[65] select(p, x, y)\n}\nENTRY e {\n x = f32[65] parameter(0)\n"
        " y = f32[65] parameter(1)\n ROOT c = f32[65] call(x, y), to_apply=f\n}"));
    const int32_t call = module.computations[module.entry].root;
    impl::IndexingAnalysis analysis(module);
    const impl::Indexing maps = *analysis.reads(module.entry, call, 0);
    ASSERT_TRUE(maps[0][0].inexact) << predicate;
    VerifySession session;
    EXPECT_EQ(verify_maps(module, module.entry, call, 0, maps, session).kind, Kind::kConservative);
    const InstructionVerdict verdict = verdict_if_exact(module, session);
    EXPECT_EQ(verdict.kind, Kind::kUndecided) << predicate;
    EXPECT_NE(verdict.detail.find("of the line s only"), std::string::npos) << verdict.detail;
  }
}

// What both branches of such a select read flows, whichever it takes. Not if there is a third one.
TEST(LinesTest, WhatBothBranchesReadFlows) {
  const auto kind = [&](absl::string_view root) {
    const HloModule module = module_of(absl::StrCat(
        "three {\n x = f32[65] parameter(0)\n y = f32[65] parameter(1)\n"
        " z = f32[65] parameter(2)\n ",
        long_mask("p"),
        "\n"
        " s = f32[65] select(p, y, z)\n ROOT r = f32[65] select(p, x, s)\n}\n"
        "f {\n x = f32[65] parameter(0)\n y = f32[65] parameter(1)\n ",
        long_mask("p"),
        "\n a = f32[65] add(x, y)\n b = f32[65] reverse(x), dimensions={0}\n ROOT s = ", root,
        "\n}\nENTRY e {\n x = f32[65] parameter(0)\n y = f32[65] parameter(1)\n"
        " ROOT c = f32[65] call(x, y), to_apply=f\n}"));
    VerifySession session;
    return to_text(verdict_if_exact(module, session).kind);
  };
  EXPECT_EQ(kind("f32[65] select(p, x, a)"), "undecided");
  EXPECT_EQ(kind("f32[65] select(p, x, x)"), "proven");
  EXPECT_EQ(kind("f32[65] select(p, x, b)"), "undecided");
  EXPECT_EQ(kind("f32[65] call(x, x, y), to_apply=three"), "undecided");
}

// Each stage adds what lies a power of two further: soon too many maps for one line.
TEST(LinesTest, AnOpenVerdictNamesTheLine) {
  std::string text = "f {\n v0 = f32[4096] parameter(0)\n z = f32[] constant(0)\n";
  for (int k = 0; k < 12; ++k) {
    const int by = 1 << k;
    absl::StrAppend(&text, " s", k, " = f32[4096] pad(v", k, ", z), padding=", by, "_-", by, "\n v",
                    k + 1, " = f32[4096] add(v", k, ", s", k, ")\n");
  }
  absl::StrAppend(&text,
                  " ROOT o = f32[4096] negate(v12)\n}\nENTRY e {\n x = f32[4096] parameter(0)\n"
                  " ROOT c = f32[4096] call(x), to_apply=f\n}");
  const HloModule module = module_of(text);
  const int32_t call = module.computations[module.entry].root;
  impl::IndexingAnalysis analysis(module);
  Definitions definitions(module, analysis);
  const auto definition = definitions.of(module.entry, call, 0);
  ASSERT_TRUE(definition.ok()) << definition.status();
  ASSERT_EQ(definition->size(), 1);
  EXPECT_TRUE(definition->front().is_superset);
  EXPECT_EQ(definition->front().open, "f/v8");
  EXPECT_EQ(definition->front().ranges, std::vector<int64_t>{4096});
  impl::Indexing maps = *analysis.reads(module.entry, call, 0);
  ASSERT_TRUE(maps[0][0].inexact);
  VerifySession session;
  EXPECT_EQ(verify_maps(module, module.entry, call, 0, maps, session).kind, Kind::kConservative);
  maps[0][0].inexact = false;
  const InstructionVerdict verdict = verify_maps(module, module.entry, call, 0, maps, session);
  EXPECT_EQ(verdict.kind, Kind::kUndecided);
  EXPECT_NE(verdict.detail.find("of the line f/v8 only a superset is known"), std::string::npos)
      << verdict.detail;
}

}  // namespace
}  // namespace tileproof::verify

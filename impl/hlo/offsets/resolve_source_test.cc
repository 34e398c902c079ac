// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/offsets/resolve_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/hlo/indexing_testing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

int32_t position_of(const HloModule& module, int32_t computation, const std::string& name) {
  const auto& instructions = module.computations[computation].instructions;
  const auto found = std::ranges::find(instructions, name, &HloInstruction::name);
  EXPECT_NE(found, instructions.end()) << name;
  return static_cast<int32_t>(found - instructions.begin());
}

// As in "p (2)"; of an element of an instruction of the entry.
std::string source_of(const std::string& text, const std::string& name,
                      const std::vector<int64_t>& index, Scope scope = Scope::kComputation) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  const std::optional<Element> resolved =
      resolve_source(analysis, module, module.entry, scope,
                     {{{}, position_of(module, module.entry, name), 0}, index});
  if (!resolved) return "too many steps";
  const Element& found = *resolved;
  return absl::StrCat(name_of(module, module.entry, found.position), " (",
                      absl::StrJoin(found.index, ", "), ")");
}

// A variable that is element (d0) of an instruction, and which element of which array it is then.
std::string followed(const std::string& text, const std::string& name, int64_t size) {
  const HloModule module = module_of(text);
  IndexingAnalysis analysis(module);
  RuntimeSource source{
      {{}, position_of(module, module.entry, name), 0},
      parse_map(absl::StrCat("(d0) -> (d0), domain: d0 in [0, ", size - 1, "]")).value(),
      {0, 9}};
  if (!resolve_runtime_source(analysis, module, module.entry, Scope::kComputation, source))
    return "";
  return absl::StrCat(name_of(module, module.entry, source.position), " ", to_text(source.map));
}

TEST(ResolveSourceTest, TheExampleOfTheHeader) {
  const std::string text =
      "p = s32[4] parameter(0)\nb = s32[4] opt-barrier(p)\n"
      "s = s32[1] slice(b), slice={[2:3]}";
  EXPECT_EQ(source_of(text, "s", {0}), "p (2)");
  EXPECT_EQ(source_of(text, "s", {0}, Scope::kInstruction), "s (0)");
  EXPECT_EQ(followed(text, "s", 1), "p (d0) -> (2), domain: d0 in [0, 0]");
}

TEST(ResolveSourceTest, WhatIsNotOnlyMovedIsASource) {
  const std::string text =
      "p = s32[4] parameter(0)\nn = s32[4] negate(p)\n"
      "r = s32[4] reverse(n), dimensions={0}";
  EXPECT_EQ(source_of(text, "r", {0}), "n (3)");
  EXPECT_EQ(followed(text, "r", 4), "n (d0) -> (-d0 + 3), domain: d0 in [0, 3]");
}

TEST(ResolveSourceTest, IntermediateMapsAreSimplified) {
  EXPECT_EQ(followed("p = s32[4] parameter(0)\nq = s32[4] reverse(p), dimensions={0}\n"
                     "r = s32[4] reverse(q), dimensions={0}",
                     "r", 4),
            "p (d0) -> (d0), domain: d0 in [0, 3]");
}

TEST(ResolveSourceTest, AnotherElementTypeIsAnotherValue) {
  const std::string text =
      "p = s32[4] parameter(0)\nb = u32[4] bitcast(p)\nc = s32[4] bitcast(p)\n"
      "d = f32[4] bitcast-convert(p)\ne = s64[4] convert(p)";
  EXPECT_EQ(source_of(text, "b", {2}), "b (2)");
  EXPECT_EQ(source_of(text, "c", {2}), "p (2)");
  EXPECT_EQ(source_of(text, "d", {2}), "d (2)");
  EXPECT_EQ(source_of(text, "e", {2}), "e (2)");
  EXPECT_EQ(followed(text, "b", 4), "b (d0) -> (d0), domain: d0 in [0, 3]");
  EXPECT_EQ(followed(text, "c", 4), "p (d0) -> (d0), domain: d0 in [0, 3]");
}

TEST(ResolveSourceTest, ACallIsTheRootOfItsComputation) {
  const std::string text =
      "f {\n a = s32[4] parameter(0)\n n = s32[4] negate(a)\n"
      " b = s32[4] reverse(a), dimensions={0}\n"
      " ROOT t = (s32[4], s32[4], s32[4]) tuple(b, n, n)\n}\n"
      "ENTRY e {\n p = s32[4] parameter(0)\n"
      " c = (s32[4], s32[4], s32[4]) fusion(p), kind=kLoop, calls=f\n"
      " x = s32[4] get-tuple-element(c), index=0\n y = s32[4] get-tuple-element(c), index=1\n"
      " z = s32[4] get-tuple-element(c), index=2\n ROOT r = s32[4] add(x, y)\n}";
  EXPECT_EQ(source_of(text, "x", {1}), "p (2)");
  EXPECT_EQ(source_of(text, "y", {1}), "c/n (1)");
  EXPECT_EQ(source_of(text, "z", {1}), "c/n (1)");
  EXPECT_EQ(followed(text, "x", 4), "p (d0) -> (-d0 + 3), domain: d0 in [0, 3]");
}

// Inside, the parameter has another number and another place than the caller's operand.
TEST(ResolveSourceTest, AParameterIsTheOperandOfTheCaller) {
  const HloModule module = module_of(
      "f {\n a = s32[4] parameter(1)\n b = s32[4] parameter(0)\n"
      " c = s32[4] reverse(b), dimensions={0}\n ROOT d = s32[4] add(a, c)\n}\n"
      "ENTRY e {\n p = s32[4] parameter(0)\n q = s32[4] parameter(1)\n n = s32[4] negate(q)\n"
      " ROOT r = s32[4] call(n, p), to_apply=f\n}\n");
  IndexingAnalysis analysis(module);
  const int32_t call = position_of(module, 1, "r");
  const auto source_of = [&](const std::string& name, Scope scope) {
    const Element found = *resolve_source(analysis, module, 1, scope,
                                          {{{call}, position_of(module, 0, name), 0}, {1}});
    return absl::StrCat(name_of(module, 1, found.position), " (", found.index.at(0), ")");
  };
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    EXPECT_EQ(source_of("c", scope), "n (2)");
    EXPECT_EQ(source_of("a", scope), "p (1)");
    EXPECT_EQ(source_of("d", scope), "r/d (1)");
  }
}

TEST(ResolveSourceTest, ElementsOfSeveralArraysHaveNoCommonSource) {
  const std::string text =
      "p = s32[2] parameter(0)\nq = s32[3] parameter(1)\n"
      "c = s32[5] concatenate(p, q), dimensions={0}";
  EXPECT_EQ(source_of(text, "c", {1}), "p (1)");
  EXPECT_EQ(source_of(text, "c", {2}), "q (0)");
  EXPECT_EQ(followed(text, "c", 5), "");
}

// Of the places that memory has for twelve elements some are padding of a tiled array.
TEST(ResolveSourceTest, ElementsThatAreOnlySometimesOfAnArrayHaveNoCommonSource) {
  const std::string text = "p = s32[3,5]{1,0:T(2,2)} parameter(0)\nb = s32[24] bitcast(p)";
  EXPECT_EQ(source_of(text, "b", {4}), "p (0, 2)");
  EXPECT_EQ(source_of(text, "b", {9}), "b (9)");
  EXPECT_EQ(followed(text, "b", 24), "");
}

TEST(ResolveSourceTest, WhatDoesNotFitIsNotFollowed) {
  const std::string text = "p = s32[5] parameter(0)\nc = s32[4] copy(p)";
  EXPECT_EQ(source_of(text, "c", {1}), "c (1)");
  EXPECT_EQ(followed(text, "c", 4), "");
}

// Of a module that was not read from a text.
TEST(ResolveSourceTest, AnArrayBeyond64BitsIsNotFollowedAsAWhole) {
  HloModule module = module_of("p = s32[2,2] parameter(0)\nROOT c = s32[2,2] copy(p)");
  const auto is_followed = [&] {
    IndexingAnalysis analysis(module);
    RuntimeSource source{{{}, 1, 0}, parse_map("() -> (1, 0)").value(), {0, 9}};
    return resolve_runtime_source(analysis, module, 0, Scope::kComputation, source);
  };
  EXPECT_TRUE(is_followed());
  for (HloInstruction& instruction : module.computations[0].instructions) {
    instruction.shape =
        SharedShape(make_array(ElementType::kS32, {int64_t{1} << 40, int64_t{1} << 40}));
  }
  EXPECT_FALSE(is_followed());
}

TEST(ResolveSourceTest, AnIndexThatNoElementHasIsNotFollowed) {
  const std::string text = "p = s32[4] parameter(0)\nc = s32[4] copy(p)";
  EXPECT_EQ(source_of(text, "c", {4}), "c (4)");
  EXPECT_EQ(source_of(text, "c", {1, 1}), "c (1, 1)");
}

}  // namespace
}  // namespace tileproof::impl

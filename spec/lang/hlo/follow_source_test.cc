// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/follow_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr char kModule[] = R"(f {
 a = s32[4] parameter(1)
 q = s32[4] parameter(0)
 ROOT r = s32[4] reverse(q), dimensions={0}
}
ENTRY e {
 p = s32[4] parameter(0)
 n = s32[4] negate(p)
 c = s32[4] call(p, n), to_apply=f
 t = (s32[4], s32[4]) fusion(n, c), kind=kLoop, calls=g
 d = s32[8] concatenate(c, n), dimensions={0}
}
)";

HloModule module_of(const std::string& text) { return *parse_hlo_module(text); }

int32_t find(const HloModule& module, int32_t computation, const std::string& name) {
  return find_instruction(module.computations[computation], name);
}

std::string name_of(const FollowRegion& region, const HloPosition& position) {
  std::vector<std::string> names;
  HloPosition outer{{}, -1, 0};
  for (const int32_t call : position.calls) {
    outer.instruction = call;
    names.push_back(region.at(outer).name);
    outer.calls.push_back(call);
  }
  names.push_back(region.at(position).name);
  return absl::StrCat(absl::StrJoin(names, "/"), "#", position.leaf);
}

// An index is a number; a reverse of four elements moves 3 - i to i.
std::optional<OperandElement<int>> reversed(const FollowRegion& region, const ElementAt<int>& at) {
  if (region.at(at.position).opcode != HloOpcode::kReverse) return std::nullopt;
  return OperandElement<int>{0, 0, 3 - at.index};
}

std::string followed(const FollowRegion& region, const HloPosition& from, int64_t steps = 100) {
  const auto move = [&](const ElementAt<int>& at) { return reversed(region, at); };
  const auto found = follow_source(region, ElementAt<int>{from, 0}, move, steps);
  return found ? absl::StrCat(name_of(region, found->position), " ", found->index) : "no steps";
}

TEST(FollowSourceTest, EntersACallAndLeavesItThroughItsParameter) {
  const HloModule module = module_of(kModule);
  const int32_t c = find(module, 1, "c");
  const FollowRegion whole{module, 1}, alone{module, 1, FollowRegion::UpTo::kOperands};
  EXPECT_EQ(followed(whole, {{}, c, 0}), "p#0 3");
  EXPECT_EQ(followed(alone, {{}, c, 0}), "c#0 0");
  // Inside the call, the operands of the call are where the region ends.
  EXPECT_EQ(followed(alone, {{c}, find(module, 0, "r"), 0}), "p#0 3");
  EXPECT_EQ(followed(alone, {{c}, find(module, 0, "a"), 0}), "n#0 0");
}

TEST(FollowSourceTest, StopsAtAComputationThatTheTextDoesNotHold) {
  const HloModule module = module_of(kModule);
  EXPECT_EQ(followed({module, 1}, {{}, find(module, 1, "t"), 1}), "t#1 0");
}

TEST(FollowSourceTest, CountsItsSteps) {
  const HloModule module = module_of(kModule);
  const HloPosition call{{}, find(module, 1, "c"), 0};
  EXPECT_EQ(followed({module, 1}, call, 3), "no steps");  // c, c/r, c/q, p
  EXPECT_EQ(followed({module, 1}, call, 4), "p#0 3");
}

TEST(FollowSourceTest, FollowsEachOfSeveralSources) {
  const HloModule module = module_of(kModule);
  const FollowRegion region{module, 1};
  using Moves = std::vector<OperandElement<int>>;
  const auto moves = [&](const ElementAt<int>& at) -> std::optional<Moves> {
    const HloInstruction& instruction = region.at(at.position);
    if (instruction.opcode == HloOpcode::kConcatenate) return Moves{{0, 0, 1}, {1, 0, 2}};
    if (auto one = reversed(region, at)) return Moves{*one};
    return std::nullopt;
  };
  std::vector<std::string> ends;
  size_t most = 3;
  const auto at_end = [&](const ElementAt<int>& at) {
    ends.push_back(absl::StrCat(name_of(region, at.position), " ", at.index));
    return ends.size() < most;
  };
  const ElementAt<int> first{{{}, find(module, 1, "d"), 0}, 0};
  int64_t steps = 100;
  EXPECT_TRUE(follow_sources(region, first, moves, at_end, steps));
  EXPECT_THAT(ends, UnorderedElementsAre("p#0 2", "n#0 2"));
  ends.clear();
  most = 1;
  EXPECT_FALSE(follow_sources(region, first, moves, at_end, steps));
  EXPECT_THAT(ends, ElementsAre("n#0 2"));
}

// Each computation calls the one before it twice, so the way through the last has 2^60 steps.
TEST(FollowSourceTest, EndsWithinItsStepsInCallsOfCalls) {
  std::string text = "f0 {\n ROOT p = s32[] parameter(0)\n}\n";
  for (int k = 1; k <= 60; ++k) {
    absl::StrAppend(&text, k < 60 ? absl::StrCat("f", k) : "ENTRY e",
                    " {\n p = s32[] parameter(0)\n", " a = s32[] call(p), to_apply=f", k - 1,
                    "\n ROOT b = s32[] call(a), to_apply=f", k - 1, "\n}\n");
  }
  const HloModule module = module_of(text);
  EXPECT_EQ(followed({module, module.entry}, {{}, 2, 0}, 100'000), "no steps");
}

}  // namespace
}  // namespace tileproof

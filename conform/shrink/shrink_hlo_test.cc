// SPDX-License-Identifier: Apache-2.0
// Requests about HLO become as small as the fault allows.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/shrink/canonical_text.h"
#include "conform/shrink/shrink.h"
#include "conform/shrink/smaller.h"
#include "conform/shrink/text_steps.h"
#include "conform/suites/hlo_suites.h"
#include "conform/suites/suites.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::conform {
namespace {

using ::testing::Contains;

// The roots of the modules that are one step simpler.
std::set<std::string> simpler_roots(const std::string& hlo) {
  const std::string text = canonical_texts("hlo", hlo).front();
  std::set<std::string> roots;
  for (const Json& simpler : simpler_requests(hlo_question(text, "instruction"))) {
    const auto* module = find_as<std::string>(simpler, "hlo");
    if (module == nullptr) continue;
    const size_t root = module->find("ROOT %") + 6;
    roots.insert(
        absl::StrReplaceAll(module->substr(root, module->find('\n', root) - root), {{"%", ""}}));
  }
  return roots;
}

TEST(SimplerRequests, FollowTheDimensionThroughOperations) {
  EXPECT_THAT(simpler_roots("t = f32[3,2,5] transpose(f32[2,3,5] p), dimensions={1,0,2}"),
              Contains("t = f32[2,5] transpose(p), dimensions={0,1}"));
  EXPECT_THAT(simpler_roots("b = f32[3,2,5] broadcast(f32[3,5] p), dimensions={0,2}"),
              Contains("b = f32[3,5] broadcast(p), dimensions={0,1}"));
  EXPECT_THAT(simpler_roots("b = f32[3,2,5] broadcast(f32[3,5] p), dimensions={0,2}"),
              Contains("b = f32[3,2] broadcast(p), dimensions={0}"));
  EXPECT_THAT(simpler_roots("s = f32[2,3] slice(f32[4,9] p), slice={[1:3], [0:9:3]}"),
              Contains("s = f32[3] slice(p), slice={[0:9:3]}"));
  EXPECT_THAT(simpler_roots("p = f32[3,7] pad(f32[2,3] a, f32[] v), padding=0_1x1_1_1"),
              Contains("p = f32[7] pad(a, v), padding=1_1_1"));
  EXPECT_THAT(simpler_roots("r = f32[2,3] reverse(f32[2,3] p), dimensions={1}"),
              Contains("r = f32[3] reverse(p), dimensions={0}"));
  EXPECT_THAT(simpler_roots("d = f32[1,2] dynamic-slice(f32[4,5] p, s32[] i, s32[] j), "
                            "dynamic_slice_sizes={1,2}"),
              Contains("d = f32[2] dynamic-slice(p, j), dynamic_slice_sizes={2}"));
  EXPECT_THAT(simpler_roots("c = f32[5,3] concatenate(f32[2,3] a, f32[3,3] b), dimensions={0}"),
              Contains("c = f32[5] concatenate(a, b), dimensions={0}"));
  EXPECT_THAT(simpler_roots("a = f32[2,3] add(f32[2,3] p, f32[2,3] q)"),
              Contains("a = f32[2] add(p, q)"));
}

// A text that was valid stays valid, whatever the step.
TEST(SimplerRequests, HaveValidTexts) {
  int64_t steps = 0;
  for (const Suite& suite : suites()) {
    for (uint64_t i = 0; i < 5; ++i) {
      Choose choose(Choose::Random{i});
      const Json request = suite.make(choose, {});
      for (const Json& simpler : simpler_requests(request)) {
        ++steps;
        for (const Member& member : *request.as<Json::Object>()) {
          const auto* text = member.value.as<std::string>();
          const Json* after = find(simpler, member.key);
          if (text == nullptr || canonical_texts(member.key, *text).empty() || after == nullptr)
            continue;
          const auto* now = after->as<std::string>();
          EXPECT_TRUE(now != nullptr && !canonical_texts(member.key, *now).empty())
              << to_text(simpler);
        }
      }
    }
  }
  EXPECT_GT(steps, 5000);
}

// True if the request is valid and its module has this operation with an array of so many elements.
bool uses(const Json& request, HloOpcode opcode) {
  const absl::StatusOr<HloQuestion> question = read_hlo_question(request);
  if (!question.ok()) return false;
  if (absl::IsInvalidArgument(hlo_index(request, Engine::kSpec).status())) return false;
  for (const HloComputation& computation : question->module.computations) {
    for (const HloInstruction& at : computation.instructions) {
      if (at.opcode == opcode) return true;
    }
  }
  return false;
}

int64_t instructions_of(const HloModule& module) {
  int64_t count = 0;
  for (const HloComputation& c : module.computations) count += std::ssize(c.instructions);
  return count;
}

// A program that is wrong about an operation: of 50 requests with it, each becomes a module of this
// operation and its parameters, and no single step makes it shorter.
TEST(ShrinkHlo, LeavesTheOperationAndItsParameters) {
  const Suite& suite = *suite_named("hlo");
  int64_t shrunk = 0;
  for (HloOpcode opcode : {HloOpcode::kTranspose, HloOpcode::kSlice, HloOpcode::kReverse,
                           HloOpcode::kBroadcast, HloOpcode::kConcatenate}) {
    Cases cases(suite, 3, {});
    for (int taken = 0, i = 0; taken < 10 && i < 4000; ++i) {
      const Case next = *cases.next();
      if (!next.random || !uses(next.request, opcode)) continue;
      ++taken;
      ++shrunk;
      const auto fails = [opcode](const Json& request) -> std::optional<bool> {
        return uses(request, opcode);
      };
      const Json least = smallest(suite, {}, next, fails);
      const std::string text = *find(least, "hlo")->as<std::string>();
      const HloModule module = parse_hlo_module(text).value();
      EXPECT_LE(instructions_of(module), 2) << text;
      for (const Json& step : simpler_requests(least)) {
        EXPECT_FALSE(is_smaller(to_text(step), to_text(least)) && uses(step, opcode))
            << text << "\n"
            << to_text(step);
      }
    }
  }
  EXPECT_EQ(shrunk, 50);
}

}  // namespace
}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// Requests about HLO become as small as the fault allows.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/shrink/hlo_dimension.h"
#include "conform/shrink/shrink.h"
#include "conform/suites/hlo_suites.h"
#include "conform/suites/suites.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::conform {
namespace {

std::string line_of(const HloModule& module) {
  const std::string text = absl::StrReplaceAll(to_text(module), {{"%", ""}});
  const size_t root = text.find("ROOT ") + 5;
  return text.substr(root, text.find('\n', root) - root);
}

std::string without(absl::string_view hlo, int64_t dimension) {
  const std::optional<HloModule> less = without_dimension(parse_hlo_module(hlo).value(), dimension);
  return less ? line_of(*less) : "nothing";
}

TEST(WithoutDimension, FollowsTheDimensionThroughOperations) {
  EXPECT_EQ(without("t = f32[3,2,5] transpose(f32[2,3,5] p), dimensions={1,0,2}", 0),
            "t = f32[2,5] transpose(p), dimensions={0,1}");
  EXPECT_EQ(without("b = f32[3,2,5] broadcast(f32[3,5] p), dimensions={0,2}", 1),
            "b = f32[3,5] broadcast(p), dimensions={0,1}");
  EXPECT_EQ(without("b = f32[3,2,5] broadcast(f32[3,5] p), dimensions={0,2}", 2),
            "b = f32[3,2] broadcast(p), dimensions={0}");
  EXPECT_EQ(without("s = f32[2,3] slice(f32[4,9] p), slice={[1:3], [0:9:3]}", 0),
            "s = f32[3] slice(p), slice={[0:9:3]}");
  EXPECT_EQ(without("p = f32[3,7] pad(f32[2,3] a, f32[] v), padding=0_1x1_1_1", 0),
            "p = f32[7] pad(a, v), padding=1_1_1");
  EXPECT_EQ(without("r = f32[2,3] reverse(f32[2,3] p), dimensions={1}", 0),
            "r = f32[3] reverse(p), dimensions={0}");
  EXPECT_EQ(without("d = f32[1,2] dynamic-slice(f32[4,5] p, s32[] i, s32[] j), "
                    "dynamic_slice_sizes={1,2}",
                    0),
            "d = f32[2] dynamic-slice(p, j), dynamic_slice_sizes={2}");
  EXPECT_EQ(without("c = f32[5,3] concatenate(f32[2,3] a, f32[3,3] b), dimensions={0}", 1),
            "c = f32[5] concatenate(a, b), dimensions={0}");
  EXPECT_EQ(without("a = f32[2,3] add(f32[2,3] p, f32[2,3] q)", 1), "a = f32[2] add(p, q)");
}

TEST(WithoutDimension, RefusesWhatDoesNotPassOneDimensionOn) {
  EXPECT_EQ(without("r = f32[6] reshape(f32[2,3] p)", 0), "nothing");
  EXPECT_EQ(without("c = f32[5,3] concatenate(f32[2,3] a, f32[3,3] b), dimensions={0}", 0),
            "nothing");
  EXPECT_EQ(without("i = s32[5] iota(), iota_dimension=0", 0), "nothing");
  EXPECT_EQ(without("ENTRY e {\n p = f32[2,2] parameter(0)\n"
                    " t = f32[2,2] transpose(p), dimensions={1,0}\n"
                    " ROOT a = f32[2,2] add(p, t)\n}\n",
                    0),
            "nothing");
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
      for (const Json& step : shrink_hlo_requests(least)) {
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

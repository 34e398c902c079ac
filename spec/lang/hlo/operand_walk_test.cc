// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/operand_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

using testing::ElementsAre;
using UpTo = FollowRegion::UpTo;

absl::Status any_fits(const op::Bitcast&) { return absl::OkStatus(); }

// What is wrong with each leaf of the last instruction of the entry.
std::vector<std::string> errors(const std::string& text, UpTo up_to = UpTo::kParameters,
                                BitcastCheck fits = any_fits) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return {absl::StrCat("not read: ", module.status().message())};
  const HloComputation& entry = module->computations[module->entry];
  OperandWalk walk(*module, fits);
  std::vector<std::string> found;
  const auto leaves = shape_leaves_of(*entry.instructions[entry.root].shape).leaves.size();
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    const absl::Status own =
        walk.expect_valid(up_to, module->entry, entry.root, static_cast<int32_t>(leaf));
    found.emplace_back(own.message());
    // Nothing depends on what was asked before.
    EXPECT_EQ(OperandWalk(*module, fits)
                  .expect_valid(up_to, module->entry, entry.root, static_cast<int32_t>(leaf)),
              own);
  }
  return found;
}

constexpr char kNoOperand[] = "x: expected 1 operand, found 0";
constexpr char kInvalid[] = "x = f32[4] topk()\n";

std::string entry(const std::string& computations, const std::string& lines) {
  return absl::StrCat(computations, "ENTRY e {\np = f32[2] parameter(0)\nq = f32[4] parameter(1)\n",
                      kInvalid, lines, "}\n");
}

TEST(OperandWalk, WhatAttributesCutAwayCounts) {
  for (const char* lines : {
           "c = f32[6] concatenate(p, x), dimensions={0}\nROOT s = f32[2] slice(c), "
           "slice={[0:2]}\n",
           "z = f32[] constant(0)\nROOT s = f32[1] pad(x, z), padding=-1_-2\n",
           "i = s32[] constant(0)\nROOT s = f32[4] dynamic-update-slice(x, q, i)\n",
           "ROOT s = s32[] get-dimension-size(x), dimensions={0}\n",
       }) {
    EXPECT_THAT(errors(entry("", lines)), ElementsAre(kNoOperand)) << lines;
  }
}

TEST(OperandWalk, ArraysWithoutElementsCount) {
  EXPECT_THAT(errors("p = f32[2] parameter(0)\nx = f32[0] topk()\n"
                     "ROOT c = f32[2] concatenate(p, x), dimensions={0}"),
              ElementsAre(kNoOperand));
  EXPECT_THAT(errors("x = () topk()\nROOT c = f32[2] custom-call(x)"), ElementsAre(kNoOperand));
}

TEST(OperandWalk, DeadCodeDoesNotCount) {
  EXPECT_THAT(errors(entry("", "ROOT n = f32[2] negate(p)\n")), ElementsAre(""));
}

TEST(OperandWalk, OperandsOfAnInstructionThatIsAskedAloneDoNotCount) {
  const std::string text = entry("", "ROOT n = f32[4] negate(x)\n");
  EXPECT_THAT(errors(text, UpTo::kParameters), ElementsAre(kNoOperand));
  EXPECT_THAT(errors(text, UpTo::kOperands), ElementsAre(""));
}

TEST(OperandWalk, AllParametersCount) {
  EXPECT_THAT(errors("p = parameter(0)\nq = f32[2] parameter(1)\nROOT n = f32[2] negate(q)"),
              ElementsAre("p: expected a shape"));
}

TEST(OperandWalk, TuplesAreFollowedLeafByLeaf) {
  EXPECT_THAT(errors(entry("",
                           "b = (f32[4], f32[4]) tuple(q, x)\n"
                           "t = (f32[2], (f32[4], f32[4])) tuple(p, b)\n"
                           "ROOT u = (f32[2], (f32[4], f32[4])) opt-barrier(t)\n")),
              ElementsAre("", "", kNoOperand));
}

TEST(OperandWalk, ComputationsThatAreEnteredCountLeafByLeaf) {
  const std::string callee =
      "f {\na = f32[2] parameter(0)\nb = f32[4] parameter(1)\nx = f32[4] topk()\n"
      "ROOT r = (f32[2], f32[4], f32[4]) tuple(a, b, x)\n}\n";
  const std::string module =
      absl::StrCat(callee, "ENTRY e {\np = f32[2] parameter(0)\ny = f32[4] topk()\n",
                   "ROOT c = (f32[2], f32[4], f32[4]) call(p, y), to_apply=f\n}\n");
  EXPECT_THAT(errors(module), ElementsAre("", "y: expected 1 operand, found 0", kNoOperand));
  EXPECT_THAT(errors(module, UpTo::kOperands), ElementsAre("", "", kNoOperand));
}

TEST(OperandWalk, ALoopDependsOnItsConditionAndOnWhatItsStepsNeed) {
  const std::string computations =
      "test {\ns = (s32[], s32[], f32[4], f32[4]) parameter(0)\n"
      "i = s32[] get-tuple-element(s), index=0\nk = s32[] constant(3)\n"
      "ROOT l = pred[] compare(i, k), direction=LT\n}\n"
      "step {\ns = (s32[], s32[], f32[4], f32[4]) parameter(0)\n"
      "i = s32[] get-tuple-element(s), index=0\nj = s32[] get-tuple-element(s), index=1\n"
      "a = f32[4] get-tuple-element(s), index=2\nb = f32[4] get-tuple-element(s), index=3\n"
      "n = f32[4] negate(b)\nROOT t = (s32[], s32[], f32[4], f32[4]) tuple(i, j, n, b)\n}\n";
  const auto loop = [&](const std::string& state) {
    return entry(
        computations,
        absl::StrCat(
            "i = s32[] constant(0)\nx2 = s32[] topk()\n",
            "t = (s32[], s32[], f32[4], f32[4]) tuple(", state, ")\n",
            "ROOT w = (s32[], s32[], f32[4], f32[4]) while(t), condition=test, body=step\n"));
  };
  EXPECT_THAT(errors(loop("i, i, q, x")), ElementsAre("", "", kNoOperand, kNoOperand));
  EXPECT_THAT(errors(loop("i, i, x, q")), ElementsAre("", "", kNoOperand, ""));
  EXPECT_THAT(errors(loop("i, x2, q, q")),
              ElementsAre("", "x2: expected 1 operand, found 0", "", ""));
  EXPECT_THAT(errors(loop("x2, i, q, q")), testing::Each("x2: expected 1 operand, found 0"));
}

TEST(OperandWalk, AConditionalDependsOnItsPredicateAndOnEachBranch) {
  const std::string branches =
      "yes {\na = f32[4] parameter(0)\nROOT n = f32[4] negate(a)\n}\n"
      "no {\na = f32[4] parameter(0)\nz = f32[] constant(0)\n"
      "ROOT n = f32[4] broadcast(z), dimensions={}\n}\n";
  const auto choice = [&](const std::string& operands) {
    return entry(branches, absl::StrCat("b = pred[] constant(true)\nx2 = pred[] topk()\n",
                                        "ROOT c = f32[4] conditional(", operands,
                                        "), true_computation=yes, false_computation=no\n"));
  };
  EXPECT_THAT(errors(choice("b, x, q")), ElementsAre(kNoOperand));
  EXPECT_THAT(errors(choice("b, q, x")), ElementsAre(""));
  EXPECT_THAT(errors(choice("x2, q, q")), ElementsAre("x2: expected 1 operand, found 0"));
}

TEST(OperandWalk, AnOperationThatIsStartedDependsAsItDoesItself) {
  EXPECT_THAT(errors(entry("", "ROOT s = ((f32[4], f32[4]), f32[4], u32[]) add-start(q, x)\n")),
              ElementsAre("", kNoOperand, kNoOperand, ""));
}

TEST(OperandWalk, TheFirstErrorIsThatOfTheFirstInstruction) {
  EXPECT_THAT(errors("y = f32[4] topk()\nx = f32[4] topk()\nROOT a = f32[4] add(x, y)"),
              ElementsAre("y: expected 1 operand, found 0"));
}

TEST(OperandWalk, ABitcastMustFit) {
  const auto never = [](const op::Bitcast&) { return absl::InvalidArgumentError("expected less"); };
  const std::string text =
      "p = f32[4] parameter(0)\nb = f32[2,2] bitcast(p)\nROOT n = f32[2,2] negate(b)";
  EXPECT_THAT(errors(text), ElementsAre(""));
  EXPECT_THAT(errors(text, UpTo::kParameters, never), ElementsAre("b: expected less"));
}

}  // namespace
}  // namespace tileproof

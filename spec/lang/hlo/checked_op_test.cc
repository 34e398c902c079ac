// SPDX-License-Identifier: Apache-2.0
// Leaves and shapes, and that each operation has a check. corpus/readers/hlo.txt has valid instructions of each
// with what is resolved, and invalid ones with their errors.
#include "spec/lang/hlo/checked_op.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo/operations/opcode_rules.h"

namespace tileproof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CheckedOp, ResolvesTheLeavesOfOperandsAndResult) {
  const absl::StatusOr<HloModule> module =
      parse_hlo_module("t = (f32[2], (s32[], token[])) tuple(f32[2] x, (s32[], token[]) y)");
  ASSERT_TRUE(module.ok()) << module.status();
  const HloComputation& entry = module->computations[0];
  const auto op = checked_op(*module, entry, entry.instructions[entry.root]);
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(op->opcode, HloOpcode::kTuple);
  ASSERT_EQ(op->operands.size(), 2);
  EXPECT_EQ(op->operands[1].size(), 2);
  ASSERT_EQ(op->result.size(), 3);
  EXPECT_THAT(op->result[0].dims, ElementsAre(2));
  EXPECT_THAT(op->result[1].dims, IsEmpty());
  EXPECT_THAT(op->result[2].dims, ElementsAre(0));  // no elements
}

// checked_operation takes the shapes from its caller.
TEST(CheckedOp, TheOperationAloneFromResolvedShapes) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(
      "p = f32[4] parameter(0)\nq = f32[?] parameter(1)\nr = frobnicate(p)\n"
      "n = f32[4] negate(p)\nm = f32[4] negate(q)\nROOT o = f32[4] negate(f32[4] r)");
  ASSERT_TRUE(module.ok()) << module.status();
  const HloComputation& entry = module->computations[0];
  std::vector<ShapeLeaves> shapes;
  for (const HloInstruction& instruction : entry.instructions) {
    shapes.push_back(instruction.shape ? shape_leaves_of(*instruction.shape) : ShapeLeaves());
  }
  const auto error = [&](int32_t instruction) {
    return std::string(checked_operation(*module, entry, instruction, shapes).status().message());
  };
  EXPECT_EQ(error(2), "r: expected a shape");
  EXPECT_EQ(error(3), "");
  EXPECT_EQ(error(4), "m: q: expected dimensions of known size, found ?");
  EXPECT_EQ(error(5), "o: r: expected a shape");
  shapes[2] = shape_leaves_of(*entry.instructions[5].operands[0].shape);
  EXPECT_EQ(error(2), "r: expected a shape");  // a use does not count for the instruction itself
  EXPECT_EQ(error(5), "");
}

// An opcode without a row in the table of opcode_rules.cc counts as elementwise.
TEST(CheckedOp, EveryOpcodeHasACheck) {
  for (const HloOpcodeInfo& opcode : hlo_opcodes()) {
    const OpcodeRules& rules = rules_of(opcode.opcode);
    EXPECT_EQ(rules.opcode, opcode.opcode) << opcode.name;
    EXPECT_EQ(rules.check == check::known_elementwise, opcode.elementwise > 0)
        << opcode.name << ": expected a row in spec/lang/hlo/operations/opcode_rules.cc, or a "
        << "number of operands in hlo_opcode.h";
  }
}

}  // namespace
}  // namespace tileproof

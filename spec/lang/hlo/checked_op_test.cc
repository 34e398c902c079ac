// SPDX-License-Identifier: Apache-2.0
// Valid instructions of each operation with what checked_op resolves. corpus/readers/hlo.txt has invalid ones
// with their errors.
#include "spec/lang/hlo/checked_op.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/checked_op_testing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo/operations/opcode_rules.h"

namespace tileproof {
namespace {

// An operation that nobody gave a row would be taken for an elementwise one without operands.
TEST(OpcodeRules, AnOperationWithoutARowIsElementwise) {
  for (const HloOpcodeInfo& info : hlo_opcodes()) {
    const bool is_elementwise = rules_of(info.opcode).check == check::known_elementwise;
    EXPECT_TRUE(!is_elementwise || elementwise_operands(info.opcode) > 0)
        << info.name << ": expected a row in spec/lang/hlo/operations/opcode_rules.cc, or a number "
        << "of operands in hlo_opcode.h";
  }
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CheckedOp, ResolvesTheLeavesOfOperandsAndResult) {
  const Checked root =
      root_of("t = (f32[2], (s32[], token[])) tuple(f32[2] x, (s32[], token[]) y)");
  ASSERT_TRUE(root.op.ok()) << root.op.status();
  EXPECT_EQ(root.op->opcode, HloOpcode::kTuple);
  ASSERT_EQ(root.op->operands.size(), 2);
  EXPECT_EQ(root.op->operands[1].size(), 2);
  ASSERT_EQ(root.op->result.size(), 3);
  EXPECT_THAT(root.op->result[0].dims, ElementsAre(2));
  EXPECT_THAT(root.op->result[1].dims, IsEmpty());
  EXPECT_THAT(root.op->result[2].dims, ElementsAre(0));  // no elements
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
    EXPECT_EQ(rules.check == check::known_elementwise, opcode.elementwise > 0) << opcode.name;
  }
}

TEST(CheckedOp, Elementwise) {
  EXPECT_THAT(valid<op::Elementwise>("a = f32[<=4] add(f32[<=4] x, f32[4] y)").dims,
              ElementsAre(4));
  EXPECT_THAT(valid<op::Elementwise>("c = f32[4] clamp(f32[] l, f32[4] x, f32[4] h)").is_scalar,
              ElementsAre(true, false, false));
  EXPECT_THAT(valid<op::Elementwise>("s = f32[] select(pred[] p, f32[] x, f32[] y)").is_scalar,
              ElementsAre(false, false, false));
  EXPECT_THAT(valid<op::Elementwise>("c = f32[4] copy(f32[4] x)").is_scalar, ElementsAre(false));
  EXPECT_THAT(
      valid<op::Elementwise>("m = f32[4] map(f32[4] x), dimensions={0}, to_apply=elsewhere").dims,
      ElementsAre(4));
}

TEST(CheckedOp, BroadcastTransposeAndReverse) {
  const auto b = valid<op::Broadcast>("b = f32[2,3] broadcast(f32[3] x), dimensions={1}");
  EXPECT_THAT(b.operand, ElementsAre(3));
  EXPECT_THAT(b.result, ElementsAre(2, 3));
  EXPECT_THAT(b.dimensions, ElementsAre(1));
  EXPECT_THAT(valid<op::Broadcast>("b = f32[2] broadcast(f32[] x)").dimensions, IsEmpty());
  const auto t = valid<op::Transpose>("t = f32[4,2,3] transpose(f32[2,3,4] x), dimensions={2,0,1}");
  EXPECT_THAT(t.dimensions, ElementsAre(2, 0, 1));
  const auto r = valid<op::Reverse>("r = f32[2,3] reverse(f32[2,3] x), dimensions={1}");
  EXPECT_THAT(r.is_reversed, ElementsAre(false, true));
}

TEST(CheckedOp, ReshapeAndBitcast) {
  EXPECT_THAT(valid<op::Reshape>("r = f32[6] reshape(f32[2,3] x)").operand, ElementsAre(2, 3));
  EXPECT_EQ(
      valid<op::DynamicReshape>("r = f32[<=6] dynamic-reshape(f32[2,3] x, s32[] n)").sizes.size(),
      1);
  EXPECT_THAT(valid<op::SetDimensionSize>(
                  "s = f32[<=4] set-dimension-size(f32[4] x, s32[] n), dimensions={0}")
                  .dims,
              ElementsAre(4));
  const auto root = root_of("b = f32[3,2]{0,1} bitcast(f32[2,3]{1,0} x)");
  ASSERT_TRUE(root.op.ok()) << root.op.status();
  const auto& b = std::get<op::Bitcast>(root.op->operation);
  EXPECT_THAT(b.result_shape->layout->minor_to_major, ElementsAre(0, 1));
  EXPECT_THAT(b.result, ElementsAre(3, 2));
  EXPECT_EQ(valid<op::Opaque>("b = f32[3] bitcast(f64[3] x)").kind,
            op::Opaque::Kind::kWidthsDiffer);
  EXPECT_THAT(valid<op::BitcastConvert>("c = u8[3,4] bitcast-convert(u32[3] x)").result,
              ElementsAre(3, 4));
  EXPECT_THAT(valid<op::BitcastConvert>("c = u32[3] bitcast-convert(u8[3,4] x)").result,
              ElementsAre(3));
  // A predicate takes a byte.
  EXPECT_THAT(valid<op::BitcastConvert>("c = pred[3] bitcast-convert(u8[3] x)").result,
              ElementsAre(3));
  EXPECT_THAT(valid<op::BitcastConvert>("c = u32[3] bitcast-convert(pred[3,4] x)").result,
              ElementsAre(3));
}

TEST(CheckedOp, SlicePadAndConcatenate) {
  const auto s = valid<op::Slice>("s = f32[2] slice(f32[8] x), slice={[2:8:3]}");
  EXPECT_THAT(s.limits, ElementsAre(SliceLimits{2, 8, 3}));
  EXPECT_THAT(s.result, ElementsAre(2));
  const auto p = valid<op::Pad>("p = f32[2,6] pad(f32[2,3] x, f32[] v), padding=0_0x1_0_1");
  EXPECT_THAT(p.operand, ElementsAre(2, 3));
  EXPECT_THAT(p.result, ElementsAre(2, 6));
  EXPECT_THAT(p.limits, ElementsAre(PadLimits{0, 0, 0}, PadLimits{1, 0, 1}));
  EXPECT_THAT(valid<op::Pad>("p = f32[] pad(f32[] x, f32[] v)").limits, IsEmpty());
  const auto c =
      valid<op::Concatenate>("c = f32[2,5] concatenate(f32[2,3] x, f32[2,2] y), dimensions={1}");
  EXPECT_EQ(c.dimension, 1);
  EXPECT_THAT(c.operands, ElementsAre(Dims{2, 3}, Dims{2, 2}));
}

TEST(CheckedOp, DotReduceSortAndTopK) {
  const auto d = valid<op::Dot>(
      "d = f32[5,2,4] dot(f32[5,2,3] a, f32[5,3,4] b), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1}");
  EXPECT_THAT(d.lhs_free, ElementsAre(1));
  EXPECT_THAT(d.rhs_free, ElementsAre(2));
  const std::string add2 =
      "add2 { a = f32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) "
      "d = s32[] parameter(3) ROOT t = (f32[], s32[]) tuple(a, b) }\n";
  const auto r = valid<op::Reduce>(absl::StrCat(
      add2,
      "ENTRY e { x = f32[2,3,4] parameter(0) i = s32[2,3,4] parameter(1) x0 = f32[] parameter(2) "
      "i0 = s32[] parameter(3) ROOT r = (f32[3], s32[3]) reduce(x, i, x0, i0), dimensions={2,0}, "
      "to_apply=add2 }"));
  EXPECT_EQ(r.inputs, 2);
  EXPECT_THAT(r.dimensions, ElementsAre(0, 2));
  EXPECT_THAT(r.kept, ElementsAre(1));
  const auto s = valid<op::Sort>("s = f32[2,3] sort(f32[2,3] x), dimensions={1}");
  EXPECT_EQ(s.dimension, 1);
  EXPECT_EQ(valid<op::Sort>("s = f32[] sort(f32[] x)").dimension, std::nullopt);
  EXPECT_THAT(valid<op::TopK>("t = (f32[2,3], s32[2,3]) topk(f32[2,9] x), k=3").operand,
              ElementsAre(2, 9));
}

TEST(CheckedOp, Windows) {
  const auto r = valid<op::ReduceWindow>(
      "w = f32[3,5] reduce-window(f32[4,5] x, f32[] x0), window={size=2x1}");
  EXPECT_EQ(r.inputs, 1);
  EXPECT_EQ(r.window[0].size, 2);
  EXPECT_EQ(valid<op::ReduceWindow>("w = f32[4] reduce-window(f32[4] x, f32[] x0)").window.size(),
            1);
  const auto c = valid<op::Convolution>(
      "c = f32[1,3,8] convolution(f32[1,5,4] input, f32[3,2,8] kernel), window={size=3}, "
      "dim_labels=b0f_0io->b0f, feature_group_count=2");
  EXPECT_EQ(c.feature_groups, 2);
  EXPECT_EQ(c.batch_groups, 1);
  EXPECT_THAT(c.numbers.output_spatial, ElementsAre(1));
  const auto s = valid<op::SelectAndScatter>(
      "s = f32[4] select-and-scatter(f32[4] x, f32[3] source, f32[] x0), window={size=2}");
  EXPECT_THAT(s.source, ElementsAre(3));
}

TEST(CheckedOp, Offsets) {
  const auto s = valid<op::DynamicSlice>(
      "s = f32[2,2] dynamic-slice(f32[9,9] x, s32[] i, s32[] j), dynamic_slice_sizes={2,2}");
  EXPECT_EQ(s.offsets.first, 1);
  EXPECT_EQ(s.offsets.count, 2);
  EXPECT_FALSE(s.offsets.in_vector);
  const auto u = valid<op::DynamicUpdateSlice>(
      "u = f32[9,9] dynamic-update-slice(f32[9,9] x, f32[2,2] y, s32[2] ij)");
  EXPECT_THAT(u.update, ElementsAre(2, 2));
  EXPECT_EQ(u.offsets.first, 2);
  EXPECT_EQ(u.offsets.count, 1);
  EXPECT_TRUE(u.offsets.in_vector);
}

TEST(CheckedOp, OffsetsAndIndicesAreIntegers) {
  for (const char* type : {"s1", "s4", "s32", "s64", "u1", "u8", "u64"}) {
    valid<op::DynamicSlice>(absl::StrCat("s = f32[2] dynamic-slice(f32[9] x, ", type,
                                         "[] i), dynamic_slice_sizes={2}"));
  }
}

TEST(CheckedOp, PredicatesArePred) {
  valid<op::Elementwise>("s = f32[3] select(pred[3] p, f32[3] x, f32[3] y)");
}

TEST(CheckedOp, GatherAndScatter) {
  const auto g = valid<op::Gather>(
      "g = f32[5,2] gather(f32[9,4] x, s32[5,1] i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}");
  EXPECT_THAT(g.table.window_dims, ElementsAre(1));
  EXPECT_THAT(g.table.batch_dims, ElementsAre(0));
  EXPECT_THAT(g.table.kept, ElementsAre(1));
  EXPECT_THAT(g.table.window_sizes, ElementsAre(1, 2));
  const auto none = valid<op::Gather>(
      "g = f32[5,2] gather(f32[9,4] x, s32[5,1] i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={0,2}");
  EXPECT_THAT(none.table.window_sizes, ElementsAre(0, 2));
  const auto s = valid<op::Scatter>(
      "s = f32[9,4] scatter(f32[9,4] x, s32[5,1] i, f32[5,2] u), update_window_dims={1}, "
      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1");
  EXPECT_EQ(s.inputs, 1);
  EXPECT_THAT(s.table.windows, ElementsAre(5, 2));
  EXPECT_THAT(s.table.window_sizes, ElementsAre(1, 2));
  EXPECT_EQ(valid<op::Scatter>(
                "s = (f32[9], s32[9]) scatter(f32[9] x, s32[9] y, s32[5,1] i, f32[5] u, s32[5] v), "
                "update_window_dims={}, inserted_window_dims={0}, "
                "scatter_dims_to_operand_dims={0}, index_vector_dim=1")
                .inputs,
            2);
}

}  // namespace
}  // namespace tileproof

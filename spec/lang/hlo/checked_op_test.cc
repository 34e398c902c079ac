// SPDX-License-Identifier: Apache-2.0
// Valid instructions of each operation with what checked_op resolves, and invalid ones with their
// errors.
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

struct Refused {
  const char* text;
  const char* error;
};

void expect_refused(const std::vector<Refused>& list) {
  for (const auto& [text, error] : list) tileproof::expect_refused(text, error);
}

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
  expect_refused({
      {"n = f32[?] negate(f32[?] x)", "n: expected dimensions of known size, found ?"},
      {"n = f32[2] negate(f32[?] x)", "n: x: expected dimensions of known size, found ?"},
  });
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
  expect_refused({
      {"a = f32[4] add(f32[4] x)", "a: expected 2 operands, found 1"},
      {"s = bf16[4] stochastic-convert(f32[4] x)", "s: expected 2 operands, found 1"},
      {"m = f32[4,2] map(f32[4,2] x), dimensions={0}", "m: expected dimensions={0,1}"},
      {"f { a = f32[] parameter(0) } ENTRY e { x = f32[4] parameter(0) ROOT m = f32[4] map(x, x), "
       "dimensions={0}, to_apply=f }",
       "m: expected f to take 2 scalars and to give 1, found [] and []"},
      {"a = f32[4] add(f32[4] x, f32[3] y)", "a: expected operand 1 of dimensions [4], found [3]"},
      {"n = f32[4] negate((f32[4]) x)", "n: expected operand 0 to be an array, found a tuple"},
      {"n = (f32[4]) negate(f32[4] x)", "n: expected the result to be an array, found a tuple"},
      {"s = f32[4] select(pred[4] p, f32[] x, f32[4] y)",
       "s: expected operand 1 of dimensions [4], found []"},
      {"s = f32[4] select(pred[4] p, f32[4] x, f32[] y)",
       "s: expected operand 2 of dimensions [4], found []"},
      {"c = f32[4] clamp(f32[] l, f32[] x, f32[] h)",
       "c: expected operand 1 of dimensions [4], found []"},
  });
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
  expect_refused({
      {"b = f32[2,3] broadcast(f32[3] x), dimensions={0}",
       "b: expected dimension 0 of the result of size 3, found 2"},
      {"b = f32[2,3] broadcast(f32[3] x), dimensions={1,0}",
       "b: expected 1 number in dimensions, found 2"},
      {"b = f32[2,3] broadcast(f32[3] x)", "b: dimensions: expected this attribute of broadcast"},
      {"t = f32[3,2] transpose(f32[2,3] x), dimensions={1}",
       "t: expected 2 numbers in dimensions, found 1"},
      {"t = f32[2,3] transpose(f32[2,3] x), dimensions={1,0}",
       "t: expected a result of dimensions [3,2], found [2,3]"},
      {"r = f32[3] reverse(f32[3] x)", "r: dimensions: expected this attribute of reverse"},
      {"r = f32[2,3] reverse(f32[2,3] x), dimensions={1,1}",
       "r: expected dimensions to be different numbers below 2, found {1,1}"},
  });
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
  expect_refused({
      {"c = pred[3,8] bitcast-convert(u8[3] x)",
       "c: expected a result of as many bits as [3] of 8 bits, found [3,8] of 1 bits"},
      {"r = f32[5] reshape(f32[2,3] x)", "r: expected as many elements as in [2,3], found [5]"},
      {"s = f32[4] set-dimension-size(f32[4] x, s32[] n), dimensions={1}",
       "s: expected dimensions to be different numbers below 1, found {1}"},
      {"r = f32[<=6] dynamic-reshape(f32[2,3] x, s32[] n, s32[] m)",
       "r: expected 2 operands, found 3"},
      {"s = f32[4] set-dimension-size(f32[4] x, s32[1] n), dimensions={0}",
       "s: expected operand 1 of dimensions [], found [1]"},
      {"b = (f32[3]) bitcast(f32[3] x)", "b: expected the result to be an array, found a tuple"},
      {"c = u8[5,4] bitcast-convert(u32[3] x)",
       "c: expected a result of as many bits as [3] of 32 bits, found [5,4] of 8 bits"},
      {"c = u8[3,2] bitcast-convert(u32[3] x)",
       "c: expected a result of as many bits as [3] of 32 bits, found [3,2] of 8 bits"},
  });
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
  expect_refused({
      {"s = f32[2] slice(f32[8] x), slice={[2:9:4]}",
       "s: expected a slice within dimension 0 of size 8, found [2:9:4]"},
      {"s = f32[2] slice(f32[8] x), slice={}", "s: expected limits for 1 dimension, found 0"},
      {"p = f32[2,7] pad(f32[2,3] x, f32[] v), padding=0_0x1_1_1x0_0",
       "p: expected padding for 2 dimensions, found 3"},
      {"p = f32[0] pad(f32[3] x, f32[] v), padding=-2_-2",
       "p: expected a padded size of at least 0 in dimension 0, found -1"},
      {"p = f32[0] pad(f32[3] x, f32[] v), padding=0_0_9223372036854775807",
       "p: expected a padded size that fits 63 bits in dimension 0"},
      {"p = f32[4] pad(f32[3] x, f32[1] v), padding=0_1",
       "p: expected operand 1 of dimensions [], found [1]"},
      {"c = f32[0] concatenate(), dimensions={0}", "c: expected at least 1 operand, found 0"},
      {"c = f32[2,6] concatenate(f32[2,3] x, f32[2,2] y), dimensions={1}",
       "c: expected a result of dimensions [2,5], found [2,6]"},
      {"c = f32[2,5] concatenate(f32[2,3] x, f32[1,2] y), dimensions={1}",
       "c: expected operand 1 of dimensions [2,2], found [1,2]"},
      {"c = f32[2,5] concatenate(f32[2,3] x, f32[2,2] y), dimensions={0,1}",
       "c: expected 1 number in dimensions, found 2"},
  });
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
  expect_refused({
      {"d = f32[2,4] dot(f32[2,3] a, f32[5,4] b), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "d: expected contracting dimensions of equal sizes, found [3] and [5]"},
      {"r = f32[2] reduce(f32[2,3] x, f32[] x0, f32[] y0), dimensions={1}",
       "r: expected an init for each input, found 3 operands"},
      {"r = f32[3] reduce(f32[2,3] x, f32[] x0), dimensions={1}",
       "r: expected part 0 of the result of dimensions [2], found [3]"},
      {"s = (f32[3], f32[3]) sort(f32[3] x), dimensions={0}",
       "s: expected a part of the result for each operand, found 2 parts and 1 operand"},
      {"t = (f32[2,2], s32[2,3]) topk(f32[2,9] x), k=2",
       "t: expected part 1 of the result of dimensions [2,2], found [2,3]"},
      {"t = (f32[2,3], s32[2,3]) topk(f32[2,2] x), k=3", "t: expected k of at most 2, found 3"},
  });
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
  expect_refused({
      {"w = f32[2] reduce-window(f32[4] x, f32[] x0), window={size=2}",
       "w: expected part 0 of the result of dimensions [3], found [2]"},
      {"w = f32[4] reduce-window(f32[4] x, f32[] x0), window={size=1x1}",
       "w: expected a window of 1 dimension, found 2"},
      {"w = f32[4] reduce-window(f32[4] x, f32[] x0), window={size=1 pad=9223372036854775807_0}",
       "w: expected a dilated and padded size that fits 63 bits"},
      {"c = f32[1,3,8] convolution(f32[1,5,4] i, f32[3,4,8] k), window={size=3}, "
       "dim_labels=b0f_0io->b0f, feature_group_count=3",
       "c: expected feature_group_count 3 to divide the number of input features, found 4"},
      {"c = f32[1,3,8] convolution(f32[2,5,4] i, f32[3,2,8] k), window={size=3}, "
       "dim_labels=b0f_0io->b0f, feature_group_count=2, batch_group_count=2",
       "c: expected feature_group_count or batch_group_count to be 1, found 2 and 2"},
      {"c = f32[1,3,8] convolution(f32[1,5,3] i, f32[3,1,8] k), window={size=3}, "
       "dim_labels=b0f_0io->b0f, feature_group_count=3",
       "c: expected feature_group_count 3 to divide the number of output features, found 8"},
      {"c = f32[1,3,8] convolution(f32[3,5,4] i, f32[3,4,8] k), window={size=3}, "
       "dim_labels=b0f_0io->b0f, batch_group_count=3",
       "c: expected batch_group_count 3 to divide the number of output features, found 8"},
      {"c = f32[1,3,8] convolution(f32[1,5,4] i, f32[3,4,8] k), window={size=3}, "
       "dim_labels=b0f_0io->b0f, batch_group_count=0",
       "c: expected feature_group_count and batch_group_count of at least 1, found 1 and 0"},
      {"c = f32[1,3,8] convolution(f32[1,5,4] i, f32[3,3,8] k), window={size=3}, "
       "dim_labels=b0f_0io->b0f",
       "c: expected 4 input features of the kernel, found 3"},
      {"c = f32[1,4,8] convolution(f32[1,5,4] i, f32[3,4,8] k), window={size=3}, "
       "dim_labels=b0f_0io->b0f",
       "c: expected 3 result elements in spatial dimension 0, found 4"},
      {"s = f32[4] select-and-scatter(f32[4] x, f32[7] source, f32[] x0), "
       "window={size=1 lhs_dilate=2}",
       "s: expected a window without lhs_dilate, found 2"},
  });
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
  expect_refused({
      {"s = f32[2,2] dynamic-slice(f32[9,9] x, s32[] i), dynamic_slice_sizes={2,2}",
       "s: expected an offset for each of 2 dimensions, found 1"},
      {"s = f32[2,2] dynamic-slice(f32[9,9] x, s32[] i, s32[] j), dynamic_slice_sizes={2,3}",
       "s: expected a result of dimensions [2,3], found [2,2]"},
      {"u = f32[9] dynamic-update-slice(f32[9] x, f32[10] y, s32[] i)",
       "u: expected a size of at most 9 in dimension 0, found 10"},
      {"u = f32[9] dynamic-update-slice(f32[9] x, f32[2] y, s32[2] i)",
       "u: expected operand 2 of dimensions [], found [2]"},
  });
}

TEST(CheckedOp, OffsetsAndIndicesAreIntegers) {
  for (const char* type : {"s1", "s4", "s32", "s64", "u1", "u8", "u64"}) {
    valid<op::DynamicSlice>(absl::StrCat("s = f32[2] dynamic-slice(f32[9] x, ", type,
                                         "[] i), dynamic_slice_sizes={2}"));
  }
  expect_refused({
      {"s = f32[2] dynamic-slice(f32[9] x, f32[] i), dynamic_slice_sizes={2}",
       "s: expected integers as operand 1, found f32"},
      {"s = f32[2,2] dynamic-slice(f32[9,9] x, s32[] i, pred[] j), dynamic_slice_sizes={2,2}",
       "s: expected integers as operand 2, found pred"},
      {"u = f32[9,9] dynamic-update-slice(f32[9,9] x, f32[2,2] y, c64[2] ij)",
       "u: expected integers as operand 2, found c64"},
      {"g = f32[5,2] gather(f32[9,4] x, f16[5,1] i), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}",
       "g: expected integers as operand 1, found f16"},
      {"s = f32[9,4] scatter(f32[9,4] x, f4e2m1fn[5,1] i, f32[5,2] u), update_window_dims={1}, "
       "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1",
       "s: expected integers as operand 1, found f4e2m1fn"},
  });
}

TEST(CheckedOp, PredicatesArePred) {
  valid<op::Elementwise>("s = f32[3] select(pred[3] p, f32[3] x, f32[3] y)");
  expect_refused({
      {"s = f32[3] select(s32[3] p, f32[3] x, f32[3] y)",
       "s: expected pred as operand 0, found s32"},
      {"s = f32[3] select(u1[] p, f32[3] x, f32[3] y)", "s: expected pred as operand 0, found u1"},
  });
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
  expect_refused({
      {"g = f32[5,2] gather(f32[9,4] x, s32[5,1] i), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
       "g: expected slice_sizes [1,2], found [1,3]"},
      {"g = f32[6,2] gather(f32[9,4] x, s32[5,1] i), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}",
       "g: expected batch dimension 0 of size 5, found 6"},
      {"g = f32[5,2] gather(f32[9,4] x, s32[5,1] i), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,2}",
       "g: expected index vectors of 2 components, found 1"},
      {"g = f32[5,2] gather(f32[9,4] x, s32[5,1] i), offset_dims={1}, collapsed_slice_dims={}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}",
       "g: expected 2 window dimensions, one for each kept dimension, found 1"},
      {"s = f32[9,4] scatter(f32[9,4] x, s32[5,1] i, f32[5,5] u), update_window_dims={1}, "
       "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1",
       "s: expected a window of at most 4 in dimension 1, found 5"},
      {"s = f32[9,4] scatter(f32[9,4] x, s32[5,1] i), update_window_dims={1}, "
       "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1",
       "s: expected an array and updates for each part of the result, and indices, found 2 "
       "operands"},
  });
}

}  // namespace
}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// The two forms of an operation, pretty and generic, are one operation; collectives and regions.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/stablehlo/stablehlo_testing.h"

namespace tileproof::stablehlo {
namespace {

using ::testing::HasSubstr;

// An operation in its pretty form, its generic form, or both; of what types; what it is in HLO.
struct Forms {
  std::vector<std::string> types;
  std::string pretty, generic, result, hlo;
};

// The region of an operation on two scalars, with the types of their operation and of its result.
std::string region(const std::string& op, const std::string& type, const std::string& result) {
  return absl::StrCat("{\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = stablehlo.", op,
                      " %x, %y : ", type, "\n  stablehlo.return %s : ", result, "\n }");
}

const std::string kAdd = region("add", "tensor<f32>", "tensor<f32>");

std::string compared(const std::string& direction) {
  return region(absl::StrCat("compare ", direction, ","),
                "(tensor<f32>, tensor<f32>) -> tensor<i1>", "tensor<i1>");
}

void expect_hlo(const std::vector<Forms>& cases) {
  for (const Forms& one : cases) {
    const std::string signature =
        absl::StrCat(" : (", absl::StrJoin(one.types, ", "), ") -> ", one.result);
    for (const std::string& op : {one.pretty, one.generic}) {
      if (op.empty()) continue;
      EXPECT_THAT(root_of(function_of(one.types, op + signature, one.result)), HasSubstr(one.hlo))
          << op;
    }
  }
}

const std::string kT46 = "tensor<4x6xf32>", kScalar = "tensor<f32>", kIndex = "tensor<i32>";

TEST(StableHloForms, PrettyAndGenericAreOneOperation) {
  expect_hlo({
      {{"tensor<4x5x6xf32>"},
       "stablehlo.transpose %a, dims = [2, 0, 1]",
       "\"stablehlo.transpose\"(%a) <{permutation = array<i64: 2, 0, 1>}>",
       "tensor<6x4x5xf32>",
       "transpose(%a), dimensions={2,0,1}"},
      {{kT46},
       "stablehlo.reverse %a, dims = [1]",
       "\"stablehlo.reverse\"(%a) <{dimensions = array<i64: 1>}>",
       kT46,
       "reverse(%a), dimensions={1}"},
      {{kT46, kT46},
       "stablehlo.concatenate %a, %b, dim = 1",
       "\"stablehlo.concatenate\"(%a, %b) <{dimension = 1 : i64}>",
       "tensor<4x12xf32>",
       "concatenate(%a, %b), dimensions={1}"},
      {{},
       "stablehlo.iota dim = 1",
       "\"stablehlo.iota\"() <{iota_dimension = 1 : i64}>",
       kT46,
       "iota(), iota_dimension=1"},
      {{kT46, kScalar},
       "stablehlo.pad %a, %b, low = [1, 2], high = [3, -2], interior = [1, 0]",
       "\"stablehlo.pad\"(%a, %b) <{edge_padding_high = array<i64: 3, -2>, edge_padding_low = "
       "array<i64: 1, 2>, interior_padding = array<i64: 1, 0>}>",
       "tensor<11x6xf32>",
       "pad(%a, %b), padding=1_3_1x2_-2_0"},
      {{kT46, kT46},
       "stablehlo.compare GE, %a, %b, FLOAT",
       "\"stablehlo.compare\"(%a, %b) <{compare_type = #stablehlo<comparison_type FLOAT>, "
       "comparison_direction = #stablehlo<comparison_direction GE>}>",
       "tensor<4x6xi1>",
       "compare(%a, %b), direction=GE"},
      {{kT46, kIndex, kIndex},
       "stablehlo.dynamic_slice %a, %b, %c, sizes = [2, 3]",
       "\"stablehlo.dynamic_slice\"(%a, %b, %c) <{slice_sizes = array<i64: 2, 3>}>",
       "tensor<2x3xf32>",
       "dynamic-slice(%a, %b, %c), dynamic_slice_sizes={2,3}"},
      {{"tuple<tensor<2xf32>, tensor<4xf32>>"},
       "stablehlo.get_tuple_element %a[1]",
       "\"stablehlo.get_tuple_element\"(%a) <{index = 1 : i32}>",
       "tensor<4xf32>",
       "get-tuple-element(%a), index=1"},
      {{kT46},
       "stablehlo.broadcast %a, sizes = [2, 3]",
       "\"stablehlo.broadcast\"(%a) <{broadcast_sizes = array<i64: 2, 3>}>",
       "tensor<2x3x4x6xf32>",
       "broadcast(%a), dimensions={2,3}"},
      {{kT46},
       "stablehlo.broadcast_in_dim %a, dims = [2, 0]",
       "\"stablehlo.broadcast_in_dim\"(%a) <{broadcast_dimensions = array<i64: 2, 0>}>",
       "tensor<6x2x4xf32>",
       "broadcast(%a), dimensions={2,0}"},
      {{kT46},
       "stablehlo.reduce_precision %a, format = e5m10",
       "\"stablehlo.reduce_precision\"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}>",
       kT46,
       "reduce-precision(%a), exponent_bits=5, mantissa_bits=10"},
      {{kT46},
       "stablehlo.get_dimension_size %a, dim = 1",
       "\"stablehlo.get_dimension_size\"(%a) <{dimension = 1 : i64}>",
       kIndex,
       "get-dimension-size(%a), dimensions={1}"},
      {{kT46, kIndex},
       "stablehlo.set_dimension_size %a, %b, dim = 1",
       "\"stablehlo.set_dimension_size\"(%a, %b) <{dimension = 1 : i64}>",
       kT46,
       "set-dimension-size(%a, %b), dimensions={1}"},
      {{kScalar, kScalar, "tensor<2xi64>"},
       "stablehlo.rng %a, %b, %c, distribution = NORMAL",
       "\"stablehlo.rng\"(%a, %b, %c) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}>",
       kT46,
       "rng(%a, %b), distribution=rng_normal"},
      // The batch dimensions of the two sides are others, and so are the contracted ones.
      {{"tensor<4x2x3x5xf32>", "tensor<5x3x7x4xf32>"},
       "stablehlo.dot_general %a, %b, batching_dims = [0] x [3], contracting_dims = [2, 3] x [1, "
       "0], precision = [DEFAULT, DEFAULT]",
       "\"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = "
       "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [3], "
       "lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [1, 0]>}>",
       "tensor<4x2x7xf32>",
       "dot(%a, %b), lhs_batch_dims={0}, rhs_batch_dims={3}, lhs_contracting_dims={2,3}, "
       "rhs_contracting_dims={1,0}"},
      {{"tensor<1x8x8x4xf32>", "tensor<3x2x2x6xf32>"},
       "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1], "
       "window = {stride = [1, 2], pad = [[1, 0], [0, 2]], lhs_dilate = [2, 1], rhs_dilate = [1, "
       "3], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, "
       "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}",
       "\"stablehlo.convolution\"(%a, %b) <{batch_group_count = 1 : i64, dimension_numbers = "
       "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1]>, feature_group_count = 2 : i64, "
       "lhs_dilation = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, "
       "rhs_dilation = array<i64: 1, 3>, window_reversal = array<i1: false, true>, "
       "window_strides = array<i64: 1, 2>}>",
       "tensor<1x6x14x4xf32>",
       "window={size=3x2 stride=1x2 pad=1_0x0_2 lhs_dilate=2x1 rhs_dilate=1x3 rhs_reversal=0x1}, "
       "dim_labels=b01f_01io->bf01, feature_group_count=2, batch_group_count=1"},
      // ---- Only one form is printed, or both differ ----
      {{"tensor<8x6xf32>"},
       "stablehlo.slice %a [0:8:2, 1:5]",
       "",
       "tensor<4x4xf32>",
       "f32[4,4] slice(%a), slice={[0:8:2], [1:5]}"},
      {{kT46},
       "",
       "\"stablehlo.slice\"(%a) <{limit_indices = array<i64: 4, 5>, start_indices = array<i64: 1, "
       "2>, strides = array<i64: 1, 3>}>",
       "tensor<3x1xf32>",
       "slice(%a), slice={[1:4:1], [2:5:3]}"},
      {{"tensor<1x3xf32>"},
       "stablehlo.broadcast_in_dim %a, dims = [0, 1]",
       "",
       "tensor<4x3xf32>",
       "f32[4,3] broadcast(%v0), dimensions={1}"},
      {{kT46}, "stablehlo.convert %a", "", "tensor<4x6xbf16>", "bf16[4,6] convert(%a)"},
      {{kT46, "tensor<6x4xf32>"},
       "stablehlo.dot %a, %b",
       "",
       "tensor<4x4xf32>",
       "dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {{kT46},
       "stablehlo.custom_call @Sharding(%a) {backend_config = \"\", mhlo.sharding = \"{}\"}",
       "",
       kT46,
       "f32[4,6] custom-call(%a), custom_call_target=\"Sharding\""},
      {{kT46, "tensor<3x1xi32>"},
       "",
       "\"stablehlo.gather\"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
       "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
       "indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}>",
       "tensor<3x6xf32>",
       "gather(%a, %b), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
       "index_vector_dim=1, slice_sizes={1,6}"},
      // Two batching dimensions, in another order on the side of the indices.
      {{"tensor<4x5x6xf32>", "tensor<5x4x1xi32>"},
       "",
       "\"stablehlo.gather\"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], "
       "operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], start_index_map = "
       "[2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}>",
       "tensor<5x4x3xf32>",
       "gather(%a, %b), offset_dims={2}, collapsed_slice_dims={}, start_index_map={2}, "
       "operand_batching_dims={0,1}, start_indices_batching_dims={1,0}, index_vector_dim=2, "
       "slice_sizes={1,1,3}"},
  });
}

// Each list of numbers belongs to one field.
TEST(StableHloForms, OperationsWithARegion) {
  const std::string groups = "replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>";
  expect_hlo({
      {{kT46, kScalar},
       "stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [1]",
       "",
       "tensor<4xf32>",
       "reduce(%a, %b), dimensions={1}, to_apply=reducer"},
      {{kT46, kScalar},
       "",
       absl::StrCat("\"stablehlo.reduce_window\"(%a, %b) <{base_dilations = array<i64: 2, 1>, "
                    "padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, "
                    "window_dilations = array<i64: 1, 3>, window_dimensions = array<i64: 2, 2>, "
                    "window_strides = array<i64: 1, 4>}> (",
                    kAdd, ")"),
       "tensor<7x2xf32>",
       "window={size=2x2 stride=1x4 pad=1_0x0_2 lhs_dilate=2x1 rhs_dilate=1x3}, to_apply=region_0"},
      // One number stands for all dimensions.
      {{kT46, kScalar},
       "",
       absl::StrCat("\"stablehlo.reduce_window\"(%a, %b) <{padding = dense<1> : tensor<2x2xi64>, "
                    "window_dimensions = array<i64: 2, 4>, window_strides = dense<2> : "
                    "tensor<2xi64>}> (",
                    kAdd, ")"),
       "tensor<3x3xf32>",
       "window={size=2x4 stride=2x2 pad=1_1x1_1 lhs_dilate=1x1 rhs_dilate=1x1}"},
      {{kT46, "tensor<2x2xf32>", kScalar},
       "",
       absl::StrCat("\"stablehlo.select_and_scatter\"(%a, %b, %c) <{window_dimensions = "
                    "array<i64: 2, 3>, window_strides = array<i64: 2, 3>}> (",
                    compared("GE"), ", ", kAdd, ")"),
       kT46,
       "window={size=2x3 stride=2x3 pad=0_0x0_0 lhs_dilate=1x1 rhs_dilate=1x1}, select=region_0, "
       "scatter=region_0.1"},
      {{kT46},
       "",
       absl::StrCat("\"stablehlo.sort\"(%a) <{dimension = -1 : i64, is_stable = true}> (",
                    compared("LT"), ")"),
       kT46,
       "sort(%a), dimensions={1}, is_stable=true, to_apply=region_0"},
      {{kT46},
       "",
       absl::StrCat("\"stablehlo.sort\"(%a) <{dimension = 0 : i64}> (", compared("LT"), ")"),
       kT46,
       "sort(%a), dimensions={0}, to_apply=region_0"},
      {{kT46, "tensor<3x1xi32>", "tensor<3x6xf32>"},
       "",
       absl::StrCat("\"stablehlo.scatter\"(%a, %b, %c) <{indices_are_sorted = false, "
                    "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
                    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                    "index_vector_dim = 1>, unique_indices = false}> (",
                    kAdd, ")"),
       kT46,
       "scatter(%a, %b, %c), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=region_0"},
      {{"tensor<4x5x6xf32>", "tensor<5x4x1xi32>", "tensor<5x4x3xf32>"},
       "",
       absl::StrCat("\"stablehlo.scatter\"(%a, %b, %c) <{scatter_dimension_numbers = "
                    "#stablehlo.scatter<update_window_dims = [2], input_batching_dims = [0, 1], "
                    "scatter_indices_batching_dims = [1, 0], scatter_dims_to_operand_dims = [2], "
                    "index_vector_dim = 2>}> (",
                    kAdd, ")"),
       "tensor<4x5x6xf32>",
       "scatter(%a, %b, %c), update_window_dims={2}, inserted_window_dims={}, "
       "scatter_dims_to_operand_dims={2}, input_batching_dims={0,1}, "
       "scatter_indices_batching_dims={1,0}, index_vector_dim=2, to_apply=region_0"},
      // ---- Collectives ----
      {{kT46},
       "",
       absl::StrCat("\"stablehlo.all_gather\"(%a) <{all_gather_dim = 1 : i64, ", groups, "}>"),
       "tensor<4x12xf32>",
       "all-gather(%a), replica_groups={{0,2},{1,3}}, dimensions={1}"},
      {{kT46},
       "",
       absl::StrCat("\"stablehlo.reduce_scatter\"(%a) <{", groups,
                    ", scatter_dimension = 1 : i64}> (", kAdd, ")"),
       "tensor<4x3xf32>",
       "reduce-scatter(%a), replica_groups={{0,2},{1,3}}, dimensions={1}, to_apply=region_0"},
      {{kT46},
       "",
       absl::StrCat("\"stablehlo.all_reduce\"(%a) <{", groups, "}> (", kAdd, ")"),
       kT46,
       "all-reduce(%a), replica_groups={{0,2},{1,3}}, to_apply=region_0"},
  });
}

TEST(StableHloForms, TypesMayBeWrittenInShort) {
  const std::string t23 = "tensor<2x3xf32>";
  const struct {
    std::vector<std::string> types;
    std::string op, result, hlo;
  } cases[] = {
      {{t23, t23}, "stablehlo.add %a, %b : tensor<2x3xf32>", t23, "f32[2,3] add(%a, %b)"},
      {{t23},
       "stablehlo.reverse %a, dims = [1] : tensor<2x3xf32>",
       t23,
       "f32[2,3] reverse(%a), dimensions={1}"},
      {{},
       "stablehlo.iota dim = 1 : tensor<2x3xi32>",
       "tensor<2x3xi32>",
       "s32[2,3] iota(), iota_dimension=1"},
      {{"tensor<i1>", t23, t23},
       "stablehlo.select %a, %b, %c : tensor<i1>, tensor<2x3xf32>",
       t23,
       "f32[2,3] select(%a, %b, %c)"},
      {{},
       "stablehlo.constant dense<[0, 2, 1]> : tensor<3xi32>",
       "tensor<3xi32>",
       "s32[3] constant({0, 2, 1})"},
      {{},
       "stablehlo.constant dense<2.000000e+00> : tensor<2x3xf32>",
       t23,
       "f32[2,3] broadcast(%v0), dimensions={}"},
      {{}, "stablehlo.constant dense<0xFF800000> : tensor<f32>", kScalar, "f32[] constant(-inf)"},
  };
  for (const auto& one : cases) {
    EXPECT_THAT(root_of(function_of(one.types, one.op, one.result)), HasSubstr(one.hlo)) << one.op;
  }
}

// MHLO has the operations of StableHLO.
TEST(StableHloForms, MhloHasThemToo) {
  expect_hlo({{{kT46, "tensor<6x4xf32>"},
               "mhlo.dot %a, %b",
               "",
               "tensor<4x4xf32>",
               "dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
              {{kT46, "tensor<2x2xf32>", kScalar},
               "",
               absl::StrCat("\"mhlo.select_and_scatter\"(%a, %b, %c) <{window_dimensions = "
                            "array<i64: 2, 3>, window_strides = array<i64: 2, 3>}> (",
                            compared("GE"), ", ", kAdd, ")"),
               kT46,
               "select=region_0, scatter=region_0.1"}});
}

TEST(StableHloForms, ACustomCallMayHaveNoTarget) {
  for (const auto& [attributes, target] : {std::pair("", ""),
                                           {" <{call_target_name = \"f\"}>", "f"},
                                           {" <{call_target_name = \"\"}>", ""},
                                           {" <{call_target_name = f}>", ""}}) {
    EXPECT_THAT(root_of(function_of({"tensor<4xf32>"},
                                    absl::StrCat("\"stablehlo.custom_call\"(%a)", attributes,
                                                 " : (tensor<4xf32>) -> tensor<4xf32>"),
                                    "tensor<4xf32>")),
                HasSubstr(absl::StrCat("custom-call(%a), custom_call_target=\"", target, "\"")))
        << attributes;
  }
}

// What a window leaves out is 1, or 0 for the padding.
TEST(StableHloForms, AWindowHasDefaults) {
  for (const std::string window : {"window = {}", "window = {stride = [1, 1]}"}) {
    EXPECT_THAT(root_of(function_of(
                    {"tensor<1x8x8x4xf32>", "tensor<3x2x4x6xf32>"},
                    absl::StrCat("stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, "
                                 "1, i, o]->[b, 0, 1, f], ",
                                 window,
                                 " {batch_group_count = 1 : i64, feature_group_count = 1 : "
                                 "i64} : (tensor<1x8x8x4xf32>, tensor<3x2x4x6xf32>) -> "
                                 "tensor<1x6x7x6xf32>"),
                    "tensor<1x6x7x6xf32>")),
                HasSubstr("window={size=3x2 stride=1x1 pad=0_0x0_0 lhs_dilate=1x1 rhs_dilate=1x1 "
                          "rhs_reversal=0x0}"));
  }
}

// ---- Collectives ----

std::string exchanged(int split, int concat, int count, const std::string& groups,
                      const std::string& result) {
  return function_of(
      {"tensor<4x6xf32>"},
      absl::StrCat("\"stablehlo.all_to_all\"(%a) <{concat_dimension = ", concat,
                   " : i64, replica_groups = dense<", groups,
                   "> : tensor<1x2xi64>, split_count = ", count,
                   " : i64, split_dimension = ", split, " : i64}> : (tensor<4x6xf32>) -> ", result),
      result);
}

// Once read as HLO's all-to-all of a tuple, whose result has the operand's elements in place.
TEST(StableHloForms, AnAllToAllSplitsAndConcatenates) {
  EXPECT_THAT(root_of(exchanged(1, 1, 2, "[[0, 1]]", "tensor<4x6xf32>")),
              HasSubstr("f32[4,6] all-to-all(%a), dimensions={1}, replica_groups={{0,1}}"));
  // HLO has one dimension for both.
  const std::string other = hlo_of(exchanged(1, 0, 2, "[[0, 1]]", "tensor<8x3xf32>"));
  EXPECT_THAT(other, HasSubstr("%v0 = f32[4,6] all-to-all(%a), dimensions={1}, "
                               "replica_groups={{0,1}}"));
  EXPECT_THAT(other, HasSubstr("%v0.1 = f32[4,2,3] reshape(%v0)"));
  EXPECT_THAT(other, HasSubstr("%v0.2 = f32[2,4,3] transpose(%v0.1), dimensions={1,0,2}"));
  EXPECT_THAT(other, HasSubstr("ROOT %v0.3 = f32[8,3] reshape(%v0.2)"));
  EXPECT_THAT(hlo_of(exchanged(0, 1, 2, "[[0, 1]]", "tensor<2x12xf32>")),
              HasSubstr("f32[2,2,6] transpose(%v0.1), dimensions={1,0,2}"));
  EXPECT_EQ(root_of(exchanged(1, 0, 2, "[[0, 1]]", "tensor<4x6xf32>")),
            "line 3, column 10: expected a result f32[8,3], found f32[4,6]");
  EXPECT_EQ(root_of(exchanged(1, 1, 3, "[[0, 1]]", "tensor<4x6xf32>")),
            "line 3, column 10: expected groups of 3 replicas, found {{0,1}}");
  EXPECT_EQ(root_of(exchanged(0, 0, 3, "[[0, 1, 2]]", "tensor<4x6xf32>")),
            "line 3, column 10: expected equal parts of dimension 0 of size 4, found 3 parts");
  for (const int dimension : {-1, 2}) {
    for (const bool splits : {true, false}) {
      EXPECT_EQ(root_of(exchanged(splits ? dimension : 0, splits ? 0 : dimension, 2, "[[0, 1]]",
                                  "tensor<4x6xf32>")),
                "line 3, column 10: expected dimensions of the operand to split and to "
                "concatenate");
    }
  }
}

// ---- Regions ----

// `cond ? -a : b`: each branch gets what it reads.
TEST(StableHloForms, AnIfHasTheFirstBranchForTrue) {
  const std::string text = hlo_of(function_of(
      {"tensor<4xf32>", "tensor<4xf32>", "tensor<i1>"},
      "\"stablehlo.if\"(%c) ({\n  %1 = stablehlo.negate %a : tensor<4xf32>\n  stablehlo.return %1 "
      ": tensor<4xf32>\n }, {\n  stablehlo.return %b : tensor<4xf32>\n }) : (tensor<i1>) -> "
      "tensor<4xf32>",
      "tensor<4xf32>"));
  EXPECT_THAT(text, HasSubstr("true_computation=branch_0, false_computation=branch_0.1"));
  EXPECT_THAT(text, HasSubstr("%v0_given = (f32[4]) tuple(%a)"));
  EXPECT_THAT(text, HasSubstr("%v0_given.1 = (f32[4]) tuple(%b)"));
  EXPECT_THAT(text, HasSubstr("conditional(%c, %v0_given, %v0_given.1)"));
  EXPECT_LT(text.find("negate("), text.find("%branch_0.1 ")) << text;
}

// A condition and a body that read both results of a call: they are carried in their order.
TEST(StableHloForms, BothResultsOfACallAreCarriedAlong) {
  const std::string text = hlo_of(R"(
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %p:2 = call @pair(%x) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %0 = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %p#1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %p#0 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}
func.func private @pair(%y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %n = stablehlo.negate %y : tensor<i32>
  return %y, %n : tensor<i32>, tensor<i32>
}
)");
  EXPECT_THAT(text, HasSubstr("tuple(%x, %p_0, %p_1)"));
  EXPECT_THAT(text, HasSubstr("compare(%state_0, %state_2), direction=LT"));
  EXPECT_THAT(text, HasSubstr("add(%state_0, %state_1)"));
  EXPECT_THAT(text, HasSubstr("ROOT %result = (s32[], s32[], s32[]) tuple(%v1, %state_1, "
                              "%state_2)"));
}

// MLIR writes the arguments of a reducer in pairs; HLO has all accumulators first.
TEST(StableHloForms, AReducerOfTwoOperandsHasItsAccumulatorsFirst) {
  const std::string text = hlo_of(R"(
func.func @main(%a: tensor<4xf32>, %b: tensor<4xi32>, %c: tensor<f32>, %d: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0:2 = stablehlo.reduce(%a init: %c), (%b init: %d) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%v: tensor<f32>, %w: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %1 = stablehlo.maximum %v, %w : tensor<f32>
    %2 = stablehlo.minimum %i, %j : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
)");
  EXPECT_THAT(text, HasSubstr("reduce(%a, %b, %c, %d), dimensions={0}"));
  EXPECT_THAT(text, HasSubstr("%v = f32[] parameter(0)"));
  EXPECT_THAT(text, HasSubstr("%i = s32[] parameter(1)"));
  EXPECT_THAT(text, HasSubstr("%w = f32[] parameter(2)"));
  EXPECT_THAT(text, HasSubstr("%j = s32[] parameter(3)"));
}

}  // namespace
}  // namespace tileproof::stablehlo

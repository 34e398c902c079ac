// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/stablehlo/stablehlo_testing.h"
#include "spec/lang/stablehlo/stablehlo_text.h"

namespace tileproof::stablehlo {
namespace {

using ::testing::HasSubstr;

struct Case {
  std::vector<std::string> types;
  std::string op, result, hlo;
};

TEST(StableHlo, EachOperationIsTheOneOfHlo) {
  const std::string t23 = "tensor<2x3xf32>", s = "tensor<f32>", i = "tensor<i32>";
  const std::vector<Case> cases = {
      {{t23, t23}, "stablehlo.add %a, %b : tensor<2x3xf32>", t23, "f32[2,3] add(%a, %b)"},
      {{t23},
       "stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
       "tensor<3x2xf32>",
       "f32[3,2] transpose(%a), dimensions={1,0}"},
      {{"tensor<8x6xf32>"},
       "stablehlo.slice %a [0:8:2, 1:5] : (tensor<8x6xf32>) -> tensor<4x4xf32>",
       "tensor<4x4xf32>",
       "f32[4,4] slice(%a), slice={[0:8:2], [1:5]}"},
      {{t23, s},
       "stablehlo.pad %a, %b, low = [1, 0], high = [0, -2], interior = [0, 3] : (tensor<2x3xf32>, "
       "tensor<f32>) -> tensor<3x7xf32>",
       "tensor<3x7xf32>",
       "f32[3,7] pad(%a, %b), padding=1_0_0x0_-2_3"},
      {{t23},
       "stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x5x3xf32>",
       "tensor<2x5x3xf32>",
       "f32[2,5,3] broadcast(%a), dimensions={0,2}"},
      {{"tensor<1x3xf32>"},
       "stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>",
       "tensor<4x3xf32>",
       "f32[4,3] broadcast(%v0), dimensions={1}"},
      {{t23, t23},
       "stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
       "tensor<4x3xf32>",
       "tensor<4x3xf32>",
       "f32[4,3] concatenate(%a, %b), dimensions={0}"},
      {{t23},
       "stablehlo.reverse %a, dims = [1] : tensor<2x3xf32>",
       t23,
       "f32[2,3] reverse(%a), dimensions={1}"},
      {{},
       "stablehlo.iota dim = 1 : tensor<2x3xi32>",
       "tensor<2x3xi32>",
       "s32[2,3] iota(), iota_dimension=1"},
      {{t23, t23},
       "stablehlo.compare LT, %a, %b, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
       "tensor<2x3xi1>",
       "pred[2,3] compare(%a, %b), direction=LT"},
      {{t23},
       "stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3xbf16>",
       "tensor<2x3xbf16>",
       "bf16[2,3] convert(%a)"},
      {{"tensor<i1>", t23, t23},
       "stablehlo.select %a, %b, %c : tensor<i1>, tensor<2x3xf32>",
       t23,
       "f32[2,3] select(%a, %b, %c)"},
      {{"tensor<5x2x3xf32>", "tensor<5x3x4xf32>"},
       "stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], "
       "precision = [DEFAULT, DEFAULT] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> "
       "tensor<5x2x4xf32>",
       "tensor<5x2x4xf32>",
       "f32[5,2,4] dot(%a, %b), lhs_batch_dims={0}, rhs_batch_dims={0}, "
       "lhs_contracting_dims={2}, rhs_contracting_dims={1}"},
      {{"tensor<4x6xf32>", i, i},
       "stablehlo.dynamic_slice %a, %b, %c, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i32>, "
       "tensor<i32>) -> tensor<2x3xf32>",
       t23,
       "f32[2,3] dynamic-slice(%a, %b, %c), dynamic_slice_sizes={2,3}"},
      {{"tensor<4x6xf32>", "tensor<3x1xi32>"},
       "\"stablehlo.gather\"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
       "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
       "indices_are_sorted "
       "= false, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> "
       "tensor<3x6xf32>",
       "tensor<3x6xf32>",
       "f32[3,6] gather(%a, %b), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}"},
      {{"tensor<1x8x8x3xf32>", "tensor<3x3x3x4xf32>"},
       "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
       "window = "
       "{stride = [1, 2], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], "
       "reverse = "
       "[false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
       "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : "
       "(tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x4x4xf32>",
       "tensor<1x8x4x4xf32>",
       "f32[1,8,4,4] convolution(%a, %b), window={size=3x3 stride=1x2 "
       "pad=1_1x0_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=1, batch_group_count=1"},
      {{t23},
       "stablehlo.reduce_precision %a, format = e5m10 : tensor<2x3xf32>",
       t23,
       "f32[2,3] reduce-precision(%a), exponent_bits=5, mantissa_bits=10"},
      {{t23},
       "stablehlo.custom_call @Sharding(%a) {backend_config = \"\", mhlo.sharding = \"{}\"} : "
       "(tensor<2x3xf32>) -> tensor<2x3xf32>",
       t23,
       "f32[2,3] custom-call(%a), custom_call_target=\"Sharding\""},
      {{},
       "stablehlo.constant dense<[0, 2, 1]> : tensor<3xi32>",
       "tensor<3xi32>",
       "s32[3] constant({0, 2, 1})"},
      {{},
       "stablehlo.constant dense<2.000000e+00> : tensor<2x3xf32>",
       t23,
       "f32[2,3] broadcast(%v0), dimensions={}"},
      {{}, "stablehlo.constant dense<0xFF800000> : tensor<f32>", s, "f32[] constant(-inf)"},
  };
  for (const Case& one : cases) {
    EXPECT_THAT(root_of(function_of(one.types, one.op, one.result)), HasSubstr(one.hlo)) << one.op;
  }
}

TEST(StableHlo, ReducersAndRegions) {
  EXPECT_THAT(
      root_of(function_of(
          {"tensor<4x6xf32>", "tensor<f32>"},
          "stablehlo.reduce(%a init: %b) applies stablehlo.maximum across dimensions = [1] : "
          "(tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>",
          "tensor<4xf32>")),
      HasSubstr("reduce(%a, %b), dimensions={1}, to_apply=reducer"));
  EXPECT_THAT(
      root_of(function_of(
          {"tensor<4x6xf32>", "tensor<f32>"},
          R"("stablehlo.reduce_window"(%a, %b) <{padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 4, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>)",
          "tensor<4x6xf32>")),
      HasSubstr("window={size=4x1 stride=1x1 pad=3_0x0_0 lhs_dilate=1x1 rhs_dilate=1x1}, "
                "to_apply=region_0"));
}

// The region of an operation on two scalars, with the types of their operation and of its result.
std::string region(const std::string& op, const std::string& type, const std::string& result) {
  return absl::StrCat("({\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = stablehlo.", op, " : ",
                      type, "\n  stablehlo.return %s : ", result, "\n })");
}

std::string compared(const std::string& direction) {
  return region(absl::StrCat("compare ", direction, ", %x, %y, FLOAT"),
                "(tensor<f32>, tensor<f32>) -> tensor<i1>", "tensor<i1>");
}

TEST(StableHlo, NumbersOfOneListBelongToOneField) {
  const std::string add = region("add %x, %y", "tensor<f32>", "tensor<f32>");
  const std::string less = compared("LT"), select = compared("GE");
  const std::string t46 = "tensor<4x6xf32>", s = "tensor<f32>";
  const std::vector<Case> cases = {
      {{t46, s},
       absl::StrCat("\"stablehlo.reduce_window\"(%a, %b) <{base_dilations = array<i64: 2, 1>, "
                    "padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, "
                    "window_dilations = array<i64: 1, 3>, window_dimensions = array<i64: 2, 2>, "
                    "window_strides = array<i64: 1, 4>}> ",
                    add, " : (tensor<4x6xf32>, tensor<f32>) -> tensor<7x2xf32>"),
       "tensor<7x2xf32>",
       "window={size=2x2 stride=1x4 pad=1_0x0_2 lhs_dilate=2x1 rhs_dilate=1x3}, to_apply=region_0"},
      {{t46, "tensor<2x2xf32>", s},
       absl::StrCat("\"stablehlo.select_and_scatter\"(%a, %b, %c) <{window_dimensions = "
                    "array<i64: 2, 3>, window_strides = array<i64: 2, 3>}> ",
                    select.substr(0, select.size() - 1), ", ", add.substr(1),
                    " : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x6xf32>"),
       t46,
       "window={size=2x3 stride=2x3 pad=0_0x0_0 lhs_dilate=1x1 rhs_dilate=1x1}, select=region_0, "
       "scatter=region_0.1"},
      {{"tensor<1x5x5x3xf32>", "tensor<3x3x3x4xf32>"},
       "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
       "window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [2, 1], "
       "rhs_dilate = [1, 2], reverse = [true, false]} {batch_group_count = 1 : i64, "
       "feature_group_count = 1 : i64} : (tensor<1x5x5x3xf32>, tensor<3x3x3x4xf32>) -> "
       "tensor<1x7x1x4xf32>",
       "tensor<1x7x1x4xf32>",
       "window={size=3x3 stride=1x1 pad=0_0x0_0 lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=1x0}"},
      {{t46},
       absl::StrCat("\"stablehlo.sort\"(%a) <{dimension = -1 : i64, is_stable = true}> ", less,
                    " : (tensor<4x6xf32>) -> tensor<4x6xf32>"),
       t46,
       "sort(%a), dimensions={1}, to_apply=region_0"},
      {{t46},
       absl::StrCat("\"stablehlo.sort\"(%a) <{dimension = 0 : i64}> ", less,
                    " : (tensor<4x6xf32>) -> tensor<4x6xf32>"),
       t46,
       "sort(%a), dimensions={0}, to_apply=region_0"},
      {{t46, "tensor<3x1xi32>", "tensor<3x6xf32>"},
       absl::StrCat("\"stablehlo.scatter\"(%a, %b, %c) <{indices_are_sorted = false, "
                    "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
                    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                    "index_vector_dim = 1>, unique_indices = false}> ",
                    add,
                    " : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>"),
       t46,
       "scatter(%a, %b, %c), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=region_0"},
      {{t46},
       "\"stablehlo.slice\"(%a) <{limit_indices = array<i64: 4, 5>, start_indices = array<i64: 1, "
       "2>, "
       "strides = array<i64: 1, 3>}> : (tensor<4x6xf32>) -> tensor<3x1xf32>",
       "tensor<3x1xf32>",
       "slice(%a), slice={[1:4:1], [2:5:3]}"},
  };
  for (const Case& one : cases) {
    EXPECT_THAT(root_of(function_of(one.types, one.op, one.result)), HasSubstr(one.hlo)) << one.op;
  }
}

TEST(StableHlo, ValuesFromOutsideOfALoopAreCarriedAlong) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_modules(R"(
func.func @main(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> tensor<4x3xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %s = %x) : tensor<i32>, tensor<4x3xf32>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %3 = stablehlo.dynamic_update_slice %s, %2, %i, %c : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<4x3xf32>
  }
  return %0#1 : tensor<4x3xf32>
}
)");
  ASSERT_TRUE(modules.ok()) << modules.status();
  const std::string text = to_text((*modules)[0]);
  EXPECT_THAT(text, HasSubstr("ROOT %result = (s32[], f32[4,3], f32[3], s32[]) tuple("));
  EXPECT_THAT(text, HasSubstr("while(%v0_start)"));
  EXPECT_THAT(text, HasSubstr("ROOT %v0_1 = f32[4,3] get-tuple-element("));
}

TEST(StableHlo, CallsBranchesAndSeveralResults) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_modules(R"(#loc = loc(unknown)
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3xf32> {mhlo.sharding = "{replicated}"} loc(unknown), %arg1: tensor<i32>) -> (tensor<3x3xf32> {jax.result_info = "r[0]"}, tensor<9xf32>) {
    %0 = "stablehlo.case"(%arg1) ({
      %3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32> loc(#loc)
      stablehlo.return %3 : tensor<3x3xf32>
    }, {
      stablehlo.return %arg0 : tensor<3x3xf32>
    }) : (tensor<i32>) -> tensor<3x3xf32>
    %1:2 = call @pair(%0) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<9xf32>)
    return %1#0, %1#1 : tensor<3x3xf32>, tensor<9xf32>
  }
  func.func private @pair(%arg0: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<9xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<3x3xf32>) -> tensor<9xf32>
    return %arg0, %0 : tensor<3x3xf32>, tensor<9xf32>
  }
}
)");
  ASSERT_TRUE(modules.ok()) << modules.status();
  EXPECT_EQ((*modules)[0].name, "jit_f");
  const std::string text = to_text((*modules)[0]);
  EXPECT_THAT(text, HasSubstr("branch_computations={branch_0, branch_0.1}"));
  EXPECT_THAT(text, HasSubstr("to_apply=pair"));
}

TEST(StableHlo, ErrorsNameThePlaceInTheText) {
  EXPECT_EQ(root_of("module @m {\n  func.func @main(%a: tensor<2x3xf32>) {\n    %0 = "
                    "stablehlo.transpse %a, dims "
                    "= [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n    return\n  }\n}"),
            "line 3, column 10: expected an operation that HLO has, found stablehlo.transpse; did "
            "you mean "
            "'stablehlo.transpose'?");
  const auto with = [](absl::string_view pad) {
    return root_of(
        absl::StrCat("module @m {\n  func.func @main(%a: tensor<2xf32>, %b: tensor<f32>) -> "
                     "tensor<4xf32> {\n    %0 = stablehlo.pad %a, %b, ",
                     pad, "\n    return %0 : tensor<4xf32>\n  }\n}"));
  };
  const std::string types = " : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>";
  EXPECT_EQ(with("low = [0], high = [1], interiro = [1]" + types),
            "line 3, column 10: expected an attribute of pad, found 'interiro'; did you mean "
            "'interior'?");
  EXPECT_EQ(
      with("low = [0], high = [1], interior = [1] {mhlo.frontend = \"x\", jax.x = 1}" + types),
      with("low = [0], high = [1], interior = [1]" + types));
  EXPECT_EQ(with("low = [0], high = [2], interior = [0] : (tensor<2xf33>, tensor<f32>) -> "
                 "tensor<4xf32>"),
            "line 3, column 82: expected an element type that XLA has, found 'f33'; did you mean "
            "'f32'?");
  EXPECT_THAT(root_of(function_of({"tensor<2x?xf32>"}, "stablehlo.negate %a : tensor<2x?xf32>",
                                  "tensor<2x?xf32>")),
              HasSubstr("line 2, column 39: expected a size that is known"));
  EXPECT_EQ(root_of(function_of({"tensor<2xf32>"}, "stablehlo.negate %z : tensor<2xf32>",
                                "tensor<2xf32>")),
            "line 3, column 10: expected a value that is defined before, found '%z'");
  // What the reader of HLO refuses is an error at the operation.
  EXPECT_THAT(
      root_of(function_of({"tensor<2xf32>"}, "stablehlo.constant dense<[1, x]> : tensor<2xi32>",
                          "tensor<2xi32>")),
      HasSubstr("line 3, column 10: expected"));
  EXPECT_THAT(root_of("func.func @f() { call @f() : () -> () return }"),
              HasSubstr("nothing calls"));
  EXPECT_THAT(root_of("module {"), HasSubstr("'}' to close the module"));
}

}  // namespace
}  // namespace tileproof::stablehlo

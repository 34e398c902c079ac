// SPDX-License-Identifier: Apache-2.0
// Operations of linalg, tensor, arith, affine and memref, as HLO.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/stablehlo/stablehlo_testing.h"

namespace tileproof::stablehlo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Case {
  std::vector<std::string> types;
  std::string op, result, hlo;
};

void expect_hlo(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    const std::string text = function_of(one.types, one.op, one.result);
    EXPECT_THAT(hlo_of(text), HasSubstr(one.hlo)) << one.op;
  }
}

const std::string kT46 = "tensor<4x6xf32>", kI32 = "tensor<4xi32>", kIndex = "index";

TEST(Mlir, ElementwiseOperationsAreThoseOfHlo) {
  expect_hlo({
      {{kT46, kT46}, "arith.addf %a, %b fastmath<fast> : " + kT46, kT46, "add(%a, %b)"},
      {{kT46}, "math.rsqrt %a : " + kT46, kT46, "rsqrt(%a)"},
      {{"f32", "f32"}, "arith.maximumf %a, %b : f32", "f32", "f32[] maximum(%a, %b)"},
      {{kI32, kI32},
       "\"arith.shrsi\"(%a, %b) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>",
       kI32,
       "shift-right-arithmetic(%a, %b)"},
      {{kIndex}, "arith.index_cast %a : index to i32", "i32", "s32[] convert(%a)"},
      {{kT46, kT46},
       "arith.cmpf olt, %a, %b : " + kT46,
       "tensor<4x6xi1>",
       "compare(%a, %b), direction=LT"},
      {{kI32, kI32},
       "\"arith.cmpi\"(%a, %b) <{predicate = 5 : i64}> : (tensor<4xi32>, tensor<4xi32>) -> "
       "tensor<4xi1>",
       "tensor<4xi1>",
       "compare(%a, %b), direction=GE"},
      // Not ordered, or below: not above or equal.
      {{kT46, kT46}, "arith.cmpf ult, %a, %b : " + kT46, "tensor<4x6xi1>", "direction=GE"},
      {{kT46, kT46}, "arith.cmpf ult, %a, %b : " + kT46, "tensor<4x6xi1>", "pred[4,6] not(%v0_0)"},
      // Unsigned.
      {{kI32, kI32}, "arith.divui %a, %b : " + kI32, kI32, "u32[4] divide(%v0_0, %v0_1)"},
      {{kI32, kI32}, "arith.cmpi ult, %a, %b : " + kI32, "tensor<4xi1>", "= u32[4] convert(%b)"},
      {{}, "arith.constant true", "i1", "pred[] constant(true)"},
      {{}, "arith.constant -2 : index", "index", "s64[] constant(-2)"},
      {{}, "arith.constant dense<[1, 2]> : tensor<2xi32>", "tensor<2xi32>", "constant({1, 2})"},
      {{}, "arith.constant 1.500000e+00 : bf16", "bf16", "bf16[] constant(1.5"},
  });
}

TEST(Mlir, TensorsAreCutAndPutTogether) {
  expect_hlo({
      {{"tensor<9xf32>"},
       "tensor.extract_slice %a[1] [3] [2] : tensor<9xf32> to tensor<3xf32>",
       "tensor<3xf32>",
       "slice(%a), slice={[1:6:2]}"},
      {{"tensor<9xf32>"},
       "\"tensor.extract_slice\"(%a) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, "
       "static_offsets "
       "= array<i64: 1>, static_sizes = array<i64: 3>, static_strides = array<i64: 2>}> : "
       "(tensor<9xf32>) -> tensor<3xf32>",
       "tensor<3xf32>",
       "slice(%a), slice={[1:6:2]}"},
      {{kT46, kIndex},
       "tensor.extract_slice %a[%b, 2] [1, 3] [1, 1] : tensor<4x6xf32> to tensor<3xf32>",
       "tensor<3xf32>",
       "dynamic-slice(%a, %b, %v0_0), dynamic_slice_sizes={1,3}"},
      {{"tensor<2xf32>", kT46},
       "tensor.insert_slice %a into %b[3, 1] [1, 2] [1, 1] : tensor<2xf32> into tensor<4x6xf32>",
       kT46,
       "dynamic-update-slice(%b, %v0_0, "},
      {{"tensor<2x3xf32>", kT46},
       "tensor.insert_slice %a into %b[1, 0] [2, 3] [1, 2] : tensor<2x3xf32> into tensor<4x6xf32>",
       kT46,
       "pad(%a, %v0_1), padding=1_1_0x0_1_1"},
      {{kT46},
       "tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 6] : tensor<4x6xf32> into "
       "tensor<2x2x6xf32>",
       "tensor<2x2x6xf32>",
       "reshape(%a)"},
      {{kT46},
       "tensor.collapse_shape %a [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>",
       "tensor<24xf32>",
       "reshape(%a)"},
      {{kT46, kT46},
       "tensor.concat dim(1) %a, %b : (tensor<4x6xf32>, tensor<4x6xf32>) -> "
       "tensor<4x12xf32>",
       "tensor<4x12xf32>",
       "concatenate(%a, %b), dimensions={1}"},
      {{kT46, "f32"},
       "tensor.pad %a nofold low[0, 1] high[2, 0] {\n ^bb0(%i: index, %j: index):\n  tensor.yield "
       "%b : f32\n } : tensor<4x6xf32> to tensor<6x7xf32>",
       "tensor<6x7xf32>",
       "pad(%a, %b), padding=0_2_0x1_0_0"},
      {{kT46, kIndex, kIndex},
       "tensor.extract %a[%b, %c] : tensor<4x6xf32>",
       "f32",
       "dynamic-slice(%a, %b, %c), dynamic_slice_sizes={1,1}"},
      {{"f32", "f32"},
       "tensor.from_elements %a, %b : tensor<2xf32>",
       "tensor<2xf32>",
       "concatenate(%v0_0, %v0_1), dimensions={0}"},
      {{"f32"}, "tensor.splat %a : tensor<4x6xf32>", kT46, "broadcast(%a), dimensions={}"},
      {{}, "tensor.empty() : tensor<4x6xf32>", kT46, "f32[4,6] constant({...})"},
      {{"tensor<8x6xf32>", "tensor<3x2x4x2xf32>"},
       "linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 2] into "
       "%b "
       ": tensor<8x6xf32> -> tensor<3x2x4x2xf32>",
       "tensor<3x2x4x2xf32>",
       "transpose(%v0_0), dimensions={2,0,1,3}"},
      {{"tensor<13xf32>", "tensor<4x4xf32>", "f32"},
       "linalg.pack %a padding_value(%c : f32) inner_dims_pos = [0] inner_tiles = [4] into %b : "
       "tensor<13xf32> -> tensor<4x4xf32>",
       "tensor<4x4xf32>",
       "pad(%a, %c), padding=0_3"},
      {{"tensor<4x4xf32>", "tensor<13xf32>"},
       "linalg.unpack %a inner_dims_pos = [0] inner_tiles = [4] into %b : tensor<4x4xf32> -> "
       "tensor<13xf32>",
       "tensor<13xf32>",
       "slice(%v0_1), slice={[0:13:1]}"},
  });
}

// The map of a read, in HLO text.
std::string read(const std::string& operand, const std::string& map) {
  return absl::StrCat("custom-call(%", operand,
                      "), custom_call_target=\"tileproof.read\", "
                      "backend_config=\"affine_map<",
                      map, ">\"");
}

TEST(Mlir, NamedOperationsReadByTheirMaps) {
  expect_hlo({
      {{"tensor<4x5x6xf32>", "tensor<6x4x5xf32>"},
       "linalg.transpose ins(%a : tensor<4x5x6xf32>) outs(%b : tensor<6x4x5xf32>) permutation = "
       "[2, "
       "0, 1]",
       "tensor<6x4x5xf32>",
       read("a", "(d0, d1, d2) -> (d1, d2, d0)")},
      {{"tensor<6xf32>", kT46},
       "linalg.broadcast ins(%a : tensor<6xf32>) outs(%b : tensor<4x6xf32>) dimensions = [0]",
       kT46,
       read("a", "(d0, d1) -> (d1)")},
      {{"tensor<1x9x9x3xf32>", "tensor<3x2x3x8xf32>", "tensor<1x4x7x8xf32>"},
       "linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, "
       "1]> "
       ": tensor<2xi64>} ins(%a, %b : tensor<1x9x9x3xf32>, tensor<3x2x3x8xf32>) outs(%c : "
       "tensor<1x4x7x8xf32>) -> tensor<1x4x7x8xf32>",
       "tensor<1x4x7x8xf32>",
       "affine_map<(n, h, w, f, kh, kw, c) -> (n, h * 2 + kh, w + kw * 2, c)>"},
      {{"tensor<2x4x6xf32>", "tensor<2x5x6xf32>", "tensor<2x4x5xf32>"},
       "linalg.batch_matmul_transpose_b ins(%a, %b : tensor<2x4x6xf32>, tensor<2x5x6xf32>) outs(%c "
       ": "
       "tensor<2x4x5xf32>) -> tensor<2x4x5xf32>",
       "tensor<2x4x5xf32>",
       "affine_map<(b, m, k, n) -> (b, n, k)>"},
      {{kT46, "tensor<4xf32>"},
       "linalg.reduce { arith.addf } ins(%a : tensor<4x6xf32>) outs(%b : tensor<4xf32>) dimensions "
       "= "
       "[1]",
       "tensor<4xf32>",
       "reduce(%v0_0, %v0_1), dimensions={1}"},
      {{kT46, kT46},
       "linalg.map { math.exp } ins(%a : tensor<4x6xf32>) outs(%b : tensor<4x6xf32>)",
       kT46,
       "exponential(%v0_0)"},
  });
}

const char kGeneric[] = R"(#map = affine_map<(d0, d1) -> (d0, (d1 + 2) mod 5)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<1x5xf32>) -> tensor<1x5xf32> {
    %0 = tensor.empty() : tensor<1x5xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<1x5xf32>) outs(%0 : tensor<1x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x5xf32>
    return %1 : tensor<1x5xf32>
  }
})";

TEST(Mlir, AGenericWithoutABodyIsARead) {
  EXPECT_THAT(root_of(kGeneric), HasSubstr(read("arg0", "(d0, d1) -> (d0, (d1 + 2) mod 5)")));
  // The generic form, with the maps where they are used.
  const std::string generic =
      R"(func.func @main(%a: tensor<1x5xf32>, %b: tensor<1x5xf32>) -> tensor<1x5xf32> {
  %0 = "linalg.generic"(%a, %b) <{indexing_maps = [affine_map<(d0, d1) -> (d0, (d1 + 2) mod 5)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: f32, %y: f32):
    "linalg.yield"(%x) : (f32) -> ()
  }) : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<1x5xf32>
  return %0 : tensor<1x5xf32>
})";
  EXPECT_THAT(root_of(generic), HasSubstr(read("a", "(d0, d1) -> (d0, (d1 + 2) mod 5)")));
}

// A function of one linalg.generic on %t and %i, whose body is given.
std::string body_of(const std::string& body) {
  return absl::StrCat(
      R"(func.func @main(%t: tensor<10x6xf32>, %i: tensor<4xi64>) -> tensor<4x6xf32> {
  %c5 = arith.constant 5 : index
  %0 = tensor.empty() : tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<4xi64>) outs(%0 : tensor<4x6xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    )",
      body, R"(
    linalg.yield %e : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
})");
}

TEST(Mlir, IndicesThatAreAffineAreAMap) {
  EXPECT_THAT(hlo_of(body_of("%k = arith.subi %c5, %column : index\n"
                             "%e = tensor.extract %t[%row, %k] : tensor<10x6xf32>")),
              HasSubstr(read("t", "(d0, d1) -> (d0, 5 + d1 * -1)")));
  EXPECT_THAT(hlo_of(body_of("%k = affine.apply affine_map<(a)[s] -> (a * 2 + s)>(%row)[%column]\n"
                             "%e = tensor.extract %t[%k, %column] : tensor<10x6xf32>")),
              HasSubstr(read("t", "(d0, d1) -> (d0 * 2 + d1, d1)")));
  // An index that is read: a gather of it and of the column.
  EXPECT_THAT(hlo_of(body_of("%k = arith.index_cast %in : i64 to index\n"
                             "%e = tensor.extract %t[%k, %column] : tensor<10x6xf32>")),
              HasSubstr("gather(%t, %v1_6), offset_dims={}, collapsed_slice_dims={0,1}, "
                        "start_index_map={0,1}, index_vector_dim=2, slice_sizes={1,1}"));
}

TEST(Mlir, AReductionOfSeveralArraysKeepsItsBody) {
  const std::string hlo = hlo_of(R"(#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
func.func @main(%arg0: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %cst = arith.constant 0xFF800000 : f32
  %c0_i32 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.empty() : tensor<4xi32>
  %3 = linalg.fill ins(%c0_i32 : i32) outs(%2 : tensor<4xi32>) -> tensor<4xi32>
  %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x6xf32>) outs(%1, %3 : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %out: f32, %out_0: i32):
    %5 = linalg.index 1 : index
    %6 = arith.index_cast %5 : index to i32
    %7 = arith.maximumf %in, %out : f32
    %8 = arith.cmpf ogt, %in, %out : f32
    %9 = arith.select %8, %6, %out_0 : i32
    linalg.yield %7, %9 : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %4#0, %4#1 : tensor<4xf32>, tensor<4xi32>
})");
  EXPECT_THAT(hlo, HasSubstr("(f32[4], s32[4]) reduce("));
  EXPECT_THAT(hlo, HasSubstr("select(%v8, %v6, %out_0)"));
}

TEST(Mlir, StoresReplaceArraysAndLoopsCarryThem) {
  const std::string hlo = hlo_of(R"(func.func @f(%u: memref<5xf32>, %w: memref<5xf32>) {
  affine.for %k = 2 to 5 {
    %t = affine.load %u[%k - 1] : memref<5xf32>
    affine.store %t, %w[%k] : memref<5xf32>
  }
  return
})");
  EXPECT_THAT(hlo, HasSubstr("(s64[], f32[5], s64[], f32[5], s64[]) while("));
  EXPECT_THAT(hlo, HasSubstr(read("u", "(d0) -> (d0 + 2 + -1)")));  // what the load touches
  EXPECT_THAT(hlo, HasSubstr(read("w", "(d0) -> (d0 + 2)")));
  EXPECT_THAT(hlo, HasSubstr("ROOT %loop"));  // the memref that is stored into
}

TEST(Mlir, ViewsAreMapsToTheirMemref) {
  const std::string hlo = hlo_of(
      R"(func.func @f(%m: memref<8x16xf32>) -> memref<8x4xf32, strided<[1, 16], offset: 35>> {
  %s = memref.subview %m[2, 3] [4, 8] [1, 1] : memref<8x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 35>>
  %t = memref.transpose %s (i, j) -> (j, i) : memref<4x8xf32, strided<[16, 1], offset: 35>> to memref<8x4xf32, strided<[1, 16], offset: 35>>
  return %t : memref<8x4xf32, strided<[1, 16], offset: 35>>
})");
  EXPECT_THAT(hlo, HasSubstr(read("m", "(d0, d1) -> (d1 + 2, d0 + 3)")));
  // Memory with a layout is the array of its offsets; what is read before it is written is an input.
  EXPECT_THAT(hlo_of(R"(#swap = affine_map<(a, b) -> (b, a)>
func.func @pick(%i: index, %j: index) -> f32 {
  %buf = memref.alloc() : memref<7x5xf32, #swap>
  %v = memref.load %buf[%i, %j] : memref<7x5xf32, #swap>
  return %v : f32
})"),
              HasSubstr("%buf = f32[35] parameter(2)"));
}

TEST(Mlir, IndicesOfSeveralSizes) {
  const std::string hlo = hlo_of(R"(func.func @f(%i: index, %j: index) -> (index, index) {
  %0 = affine.linearize_index [%i, %j] by (3, 5) : index
  %1:2 = affine.delinearize_index %0 into (5, 3) : index, index
  return %1#0, %1#1 : index, index
})");
  EXPECT_THAT(hlo, HasSubstr("add(%v0_m2, %j)"));
  EXPECT_THAT(hlo, HasSubstr("(s64[], s64[]) tuple("));
}

TEST(Mlir, WhatIsNotReadIsNamedWhereItStands) {
  const auto text = [](const std::string& op) {
    return absl::StrCat("func.func @f(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {\n",
                        "  %0 = arith.addf %a, %a : tensor<4x6xf32>\n  ", op,
                        "\n  %3 = arith.addf %2, %a : tensor<4x6xf32>\n",
                        "  return %3 : tensor<4x6xf32>\n}\n");
  };
  struct Malformed {
    std::string op, error;
  };
  const std::vector<Malformed> cases = {
      {"%2 = vector.contract {kind = #vector.kind<add>} %0, %0 : tensor<4x6xf32>",
       "line 3, column 8: operation 'vector.contract' of the dialect vector is not read; 2 others "
       "were"},
      {"%2 = foo.strange %0 ==> |x| : tensor<4x6xf32>",
       "line 3, column 8: operation 'foo.strange' of the dialect foo is not read; 1 other was"},
      {"%2 = tensor.extract_slice %0[0] [4] [1] : tensor<4x6xf32> to tensor<4xf32>",
       "line 3, column 8: expected 2 offsets, found 1"},
      {"%2 = linalg.transpose ins(%0 : tensor<4x6xf32>) outs(%a : tensor<4x6xf32>) permutation = "
       "[0, "
       "0]",
       "line 3, column 8: expected a permutation"},
      {"%2 = linalg.matmul ins(%0, %0 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%a : "
       "tensor<4x6xf32>) -> tensor<4x6xf32>",
       "line 3, column 8: expected one size of dimension d1, found 6 and 4"},
      {"%2 = linalg.add ins(%0 : tensor<4x6xf32>",
       "line 4, column 3: expected ')' after the types, found '%'"},
      {"%2 = arith.cmpf below, %0, %a : tensor<4x6xf32>",
       "line 3, column 8: operation 'arith.cmpf' of the dialect arith is not read: its predicate; "
       "2 "
       "others were"},
  };
  for (const Malformed& one : cases) EXPECT_EQ(root_of(text(one.op)), one.error) << one.op;
  // The type of a view says where it lies.
  EXPECT_EQ(
      root_of(R"(func.func @f(%m: memref<8x16xf32>) -> f32 {
  %c = arith.constant 0 : index
  %s = memref.subview %m[2, 3] [4, 8] [1, 1] : memref<8x16xf32> to memref<4x8xf32, strided<[16, 1]>>
  %v = memref.load %s[%c, %c] : memref<4x8xf32, strided<[16, 1]>>
  return %v : f32
})"),
      "line 3, column 8: expected a result that says where the view lies: element [0,0] is at "
      "offset 35, and by the type of the result at 0");
}

TEST(Mlir, KeepsWhatItDoesNotKnow) {
  const std::string text = R"(func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = foo.bar %a : tensor<4xf32>
  %1 = foo.baz %0, %a : tensor<4xf32>
  return %1 : tensor<4xf32>
})";
  const auto kept = parse_modules(text, UnknownHlo::kKeep);
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_THAT(to_text((*kept)[0]), HasSubstr("foo.bar(%a)"));
  std::vector<absl::Status> unread;
  const auto rest = parse_modules_but(text, UnknownHlo::kRefuse, unread);
  ASSERT_TRUE(rest.ok()) << rest.status();
  ASSERT_EQ(unread.size(), 2);
  EXPECT_THAT(std::string(unread[1].message()), HasSubstr("line 3, column 8: operation 'foo.baz"));
  EXPECT_THAT(to_text((*rest)[0]), Not(HasSubstr("foo.bar")));
}

// Each of these ended the program.
TEST(Mlir, DamagedTextsAreErrors) {
  EXPECT_THAT(root_of("%0 = tensor.extract %a[%i, %j] : tensor<4x6xf32>"),
              HasSubstr("which says the type of '%a'"));
  EXPECT_THAT(root_of("func.func @f(%a: tensor<4xf32>, %c: f32) -> tensor<4xf32> {\n"
                      "  linalg.fill ins(%c : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>\n"
                      "  return %a : tensor<4xf32>\n}"),
              HasSubstr("'linalg.fill' of the dialect linalg is not read: without results"));
}

TEST(Mlir, OneOfSeveralFunctionsIsTheEntry) {
  const std::string text = R"(func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.async_start"(%a) <{called_computation = @f, execution_thread = "main"}> : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
)";
  EXPECT_THAT(root_of(text), HasSubstr("call(%a), to_apply=f"));  // when it starts
  EXPECT_THAT(root_of(text + "#tileproof.function = @f\n"), HasSubstr("reverse(%a)"));
  EXPECT_EQ(root_of(text + "#tileproof.function = @g\n"),
            "column 1: expected a function of the text, found @g");
}

}  // namespace
}  // namespace tileproof::stablehlo

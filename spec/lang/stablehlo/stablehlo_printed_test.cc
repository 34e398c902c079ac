// SPDX-License-Identifier: Apache-2.0
// StableHLO as XLA and JAX print it.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/stablehlo/stablehlo_testing.h"

namespace tileproof::stablehlo {
namespace {

using ::testing::HasSubstr;

TEST(StableHloPrinted, EachResultMayHaveItsName) {
  const std::string text = hlo_of(R"(
func.func @main(%a: tensor<3x8xf32>) -> (tensor<3x2xi32>, tensor<3x2xf32>) {
  %values, %indices = mhlo.topk(%a, k = 2, largest = false) : tensor<3x8xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return %indices, %values : tensor<3x2xi32>, tensor<3x2xf32>
}
)");
  EXPECT_THAT(text, HasSubstr("topk(%a), k=2, largest=false"));
  EXPECT_THAT(text, HasSubstr("tuple(%values_1, %values_0)"));
  // `%a:2, %b`: two names of three results.
  const auto three = [](const std::string& names) {
    return hlo_of(absl::StrCat("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  ", names,
                               " = call @f(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>, "
                               "tensor<f32>)\n  %s = stablehlo.subtract %a#1, %b : tensor<f32>\n"
                               "  return %s : tensor<f32>\n}\n"
                               "func.func private @f(%y: tensor<f32>) -> (tensor<f32>, "
                               "tensor<f32>, tensor<f32>) {\n  return %y, %y, %y : tensor<f32>, "
                               "tensor<f32>, tensor<f32>\n}\n"));
  };
  EXPECT_THAT(three("%a:2, %b"), HasSubstr("subtract(%a_1, %a_2)"));
  EXPECT_EQ(three("%a, %b"), "line 2, column 12: expected a name for each result");
  for (const char* names : {"%a:2, %b:2", "%a:3, %b", "%a:0, %b:3"}) {
    EXPECT_EQ(three(names), absl::StrCat("line 2, column ", std::string(names).size() + 6,
                                         ": expected a type for each result that has a name"));
  }
  EXPECT_EQ(three("%a:2, %x"), "line 2, column 14: expected each name once, found '%x' again");
}

// Once the last type was taken for that of all results.
TEST(StableHloPrinted, ABarrierHandsOnEachOperand) {
  const std::string text = hlo_of(R"(
func.func @main(%a: tensor<4xf32>, %b: tensor<6xi32>) -> (tensor<6xi32>, tensor<4xf32>) {
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf32>, tensor<6xi32>
  return %0#1, %0#0 : tensor<6xi32>, tensor<4xf32>
}
)");
  EXPECT_THAT(text, HasSubstr("(f32[4], s32[6]) opt-barrier("));
  EXPECT_THAT(text, HasSubstr("(s32[6], f32[4]) tuple(%v0_1, %v0_0)"));
  EXPECT_THAT(
      root_of(function_of({"tensor<4xf32>"}, "stablehlo.optimization_barrier %a : tensor<4xf32>",
                          "tensor<4xf32>")),
      HasSubstr("f32[4] opt-barrier(%a)"));
}

// CHLO has elementwise operations that HLO lacks. HLO has others with the same elements.
TEST(StableHloPrinted, ElementwiseOperationsOfChlo) {
  const auto of = [](const std::string& op, const std::string& result) {
    return root_of(function_of({"tensor<4xf32>", "tensor<4xf32>"},
                               absl::StrCat("chlo.", op, " : (tensor<4xf32>) -> ", result),
                               result));
  };
  EXPECT_THAT(of("square %b", "tensor<4xf32>"), HasSubstr("f32[4] multiply(%b, %b)"));
  for (const char* one : {"bessel_i1e", "digamma", "erf_inv", "erfc", "lgamma"}) {
    EXPECT_THAT(of(absl::StrCat(one, " %b"), "tensor<4xf32>"), HasSubstr("f32[4] erf(%b)"));
  }
  for (const char* two : {"next_after", "polygamma", "zeta"}) {
    EXPECT_THAT(of(absl::StrCat(two, " %b, %a"), "tensor<4xf32>"),
                HasSubstr("f32[4] atan2(%b, %a)"));
  }
  for (const char* test : {"is_inf", "is_neg_inf", "is_pos_inf"}) {
    EXPECT_THAT(of(absl::StrCat(test, " %b"), "tensor<4xi1>"), HasSubstr("pred[4] is-finite(%b)"));
  }
}

TEST(StableHloPrinted, AnOperationMayHaveNoOffsets) {
  EXPECT_THAT(root_of(function_of({"tensor<f32>"},
                                  "stablehlo.dynamic_slice %a, , sizes = [] : (tensor<f32>) -> "
                                  "tensor<f32>",
                                  "tensor<f32>")),
              HasSubstr("dynamic-slice(%a), dynamic_slice_sizes={}"));
}

// A limit of nesting does not count operations beside each other.
TEST(StableHloPrinted, AFunctionMayHaveManyOperations) {
  std::string text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n";
  for (int i = 0; i < 1500; ++i)
    absl::StrAppend(&text, "%", i, " = stablehlo.negate %a : tensor<4xf32>\n");
  absl::StrAppend(&text, "return %1499 : tensor<4xf32>\n}\n");
  EXPECT_THAT(root_of(text), HasSubstr("f32[4] negate(%a)"));
}

TEST(StableHloPrinted, AnAppliedOperationHasTwoOperands) {
  const std::string text = hlo_of(function_of(
      {"tensor<4x6xf32>", "tensor<f32>"},
      "stablehlo.reduce(%a init: %b) applies stablehlo.subtract across dimensions = [1] : "
      "(tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>",
      "tensor<4xf32>"));
  EXPECT_THAT(text, HasSubstr("%x = f32[] parameter(0)"));
  EXPECT_THAT(text, HasSubstr("%y = f32[] parameter(1)"));
  EXPECT_THAT(text, HasSubstr("f32[] subtract(%x, %y)"));
}

// XLA keeps the functions of reducers, which nothing calls.
TEST(StableHloPrinted, TheEntryIsMainWhateverIsNotCalled) {
  const std::string unused =
      "func.func private @NAME(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n";
  const std::string f = absl::StrReplaceAll(unused, {{"NAME", "f"}});
  const std::string g = absl::StrReplaceAll(unused, {{"NAME", "g"}});
  const std::string main = absl::StrReplaceAll(unused, {{"NAME", "main"}});
  for (const std::string& text : {main + f + g, f + g + main, f + main + g, main}) {
    EXPECT_THAT(hlo_of(text), HasSubstr("ENTRY %main ")) << text;
  }
  EXPECT_THAT(hlo_of(f), HasSubstr("ENTRY %f "));
  EXPECT_EQ(hlo_of(f + g),
            "line 2, column 19: expected a function 'main', or only one that nothing calls");
}

TEST(StableHloPrinted, AFusionCallsItsRegion) {
  const auto fused = [](const std::string& kind) {
    return root_of(function_of({"tensor<4xf32>"},
                               absl::StrCat("\"mhlo.fusion\"(%a) <{fusion_kind = "
                                            "#mhlo<fusion_kind ",
                                            kind,
                                            ">}> ({\n ^bb0(%x: tensor<4xf32>):\n  %1 = "
                                            "stablehlo.negate %x : tensor<4xf32>\n  "
                                            "mhlo.return %1 : tensor<4xf32>\n }) "
                                            "{output_operand_aliasing = []} : "
                                            "(tensor<4xf32>) -> tensor<4xf32>"),
                               "tensor<4xf32>"));
  };
  for (const std::string kind : {"kLoop", "kInput", "kOutput", "kCustom"}) {
    EXPECT_THAT(fused(kind),
                HasSubstr(absl::StrCat("fusion(%a), kind=", kind, ", calls=region_0")));
  }
}

// A layout moves the elements of a bitcast and no others.
TEST(StableHloPrinted, LayoutsOfXlaAreAllowedWhereTheyDoNotMatter) {
  const auto with_layout = [](const std::string& op) {
    return root_of(function_of({"tensor<4x6xf32>"},
                               absl::StrCat(op,
                                            " %a {result_layout = dense<[0, 1]> : "
                                            "tensor<2xindex>, xla_shape = "
                                            "\"f32[4,6]{0,1}\"} : tensor<4x6xf32>"),
                               "tensor<4x6xf32>"));
  };
  EXPECT_THAT(with_layout("mhlo.copy"), HasSubstr("f32[4,6] copy(%a)"));
  EXPECT_EQ(with_layout("mhlo.bitcast"),
            "line 3, column 10: expected an attribute of bitcast, found 'result_layout'");
}

}  // namespace
}  // namespace tileproof::stablehlo

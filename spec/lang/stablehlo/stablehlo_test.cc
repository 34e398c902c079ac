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

TEST(StableHlo, EachResultMayHaveItsName) {
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
TEST(StableHlo, ABarrierHandsOnEachOperand) {
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

// CHLO has elementwise operations that HLO lacks: functions of which only the name is known.
TEST(StableHlo, ElementwiseOperationsOfChlo) {
  const auto of = [](const std::string& op, const std::string& result) {
    return root_of(function_of({"tensor<4xf32>", "tensor<4xf32>"},
                               absl::StrCat("chlo.", op, " : (tensor<4xf32>) -> ", result),
                               result));
  };
  EXPECT_THAT(of("square %b", "tensor<4xf32>"), HasSubstr("f32[4] multiply(%b, %b)"));
  for (const char* one : {"bessel_i1e", "digamma", "erf_inv", "erfc", "lgamma"}) {
    EXPECT_THAT(of(absl::StrCat(one, " %b"), "tensor<4xf32>"),
                HasSubstr(absl::StrCat("f32[4] custom-call(%b), custom_call_target=\"tileproof."
                                       "elementwise\", backend_config=\"chlo.",
                                       one, "\"")));
  }
  for (const char* two : {"next_after", "polygamma", "zeta"}) {
    EXPECT_THAT(of(absl::StrCat(two, " %b, %a"), "tensor<4xf32>"),
                HasSubstr(absl::StrCat("f32[4] custom-call(%b, %a), custom_call_target=\"tileproof."
                                       "elementwise\", backend_config=\"chlo.",
                                       two, "\"")));
  }
  for (const char* test : {"is_inf", "is_neg_inf", "is_pos_inf"}) {
    EXPECT_THAT(of(absl::StrCat(test, " %b"), "tensor<4xi1>"),
                HasSubstr("pred[4] custom-call(%b)"));
  }
}

TEST(StableHlo, AnOperationMayHaveNoOffsets) {
  EXPECT_THAT(root_of(function_of({"tensor<f32>"},
                                  "stablehlo.dynamic_slice %a, , sizes = [] : (tensor<f32>) -> "
                                  "tensor<f32>",
                                  "tensor<f32>")),
              HasSubstr("dynamic-slice(%a), dynamic_slice_sizes={}"));
}

// A limit of nesting does not count operations beside each other.
TEST(StableHlo, AFunctionMayHaveManyOperations) {
  std::string text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n";
  for (int i = 0; i < 1500; ++i)
    absl::StrAppend(&text, "%", i, " = stablehlo.negate %a : tensor<4xf32>\n");
  absl::StrAppend(&text, "return %1499 : tensor<4xf32>\n}\n");
  EXPECT_THAT(root_of(text), HasSubstr("f32[4] negate(%a)"));
}

TEST(StableHlo, AnAppliedOperationHasTwoOperands) {
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
TEST(StableHlo, TheEntryIsMainWhateverIsNotCalled) {
  const std::string unused =
      "func.func private @NAME(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n";
  const std::string f = absl::StrReplaceAll(unused, {{"NAME", "f"}});
  const std::string g = absl::StrReplaceAll(unused, {{"NAME", "g"}});
  const std::string main = absl::StrReplaceAll(unused, {{"NAME", "main"}});
  for (const std::string& text : {main + f + g, f + g + main, f + main + g, main}) {
    EXPECT_THAT(hlo_of(text), HasSubstr("ENTRY %main ")) << text;
  }
  EXPECT_THAT(hlo_of(f), HasSubstr("ENTRY %f "));
}

// As in the tests of Shardy and of StableHLO's interpreter.
TEST(StableHlo, WithoutMainEachFunctionThatNothingCallsIsAModule) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_modules(R"(
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func @doubled(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @add(%a) : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq_const %0, dense<2.0> : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @add(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @doubled_twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.add" %a {composite_attributes = {n = 1 : i32}, decomposition = @add, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @kernel(%0) {called_computations = [@add]} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})");
  ASSERT_TRUE(modules.ok()) << modules.status();
  ASSERT_EQ(modules->size(), 2u);
  EXPECT_EQ((*modules)[0].name, "doubled");
  EXPECT_EQ((*modules)[1].name, "doubled_twice");
  EXPECT_THAT(to_text((*modules)[0]), HasSubstr("ROOT %v0 = f32[4] call(%a), to_apply=add"));
  const std::string text = to_text((*modules)[1]);
  EXPECT_THAT(text, HasSubstr("%v0 = f32[4] call(%a), to_apply=add"));
  EXPECT_THAT(text, HasSubstr("custom-call(%v0), custom_call_target=\"kernel\", "
                              "called_computations={add}"));
}

// As JAX 0.12 prints jax.shard_map and explicit sharding.
TEST(StableHlo, ShardyDividesAndAnnotatesArrays) {
  constexpr absl::string_view kText = R"(
module @jit_f attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @other = <["x"=4, "y"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  func.func public @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {jax.result_info = "result"}) {
    %c = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    sdy.sharding_group %c group_id=1 : tensor<8x8xf32>
    %g = sdy.all_gather [{"x"}, {}] %c out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %0 = sdy.manual_computation(%g) in_shardings=[<@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x", "y"} (%arg1: tensor<8x2xf32>) {
      %1 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @other, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = #stablehlo.sub_axis_info<pre_size = 1, size = 2>>, #stablehlo.axis_ref<name = "y">]>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
      sdy.return %1 : tensor<8x2xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
})";
  const std::string text = hlo_of(std::string(kText));
  EXPECT_THAT(text, HasSubstr("%c = f32[8,8] custom-call(%arg0), custom_call_target=\"Sharding\""));
  EXPECT_THAT(text, HasSubstr("%g = f32[8,8] custom-call(%c), custom_call_target=\"Sharding\""));
  EXPECT_THAT(
      text,
      HasSubstr(
          "all-to-all(%arg1), channel_id=1, dimensions={0}, replica_groups=mesh['x'=4,'y'=2], "
          "device_ids=(7,6,5,4,3,2,1,0) {'x':(1)2,'y'}"));
  EXPECT_THAT(text,
              HasSubstr("%v0_local = f32[8,2] custom-call(%g), "
                        "custom_call_target=\"xla.sdy.GlobalToLocalShape\", "
                        "frontend_attributes={xla.sdy.in_shardings=\"#sdy.sharding_per_value<[<"));
  EXPECT_THAT(text, HasSubstr("%v0_body = f32[8,2] call(%v0_local), to_apply=region_0"));
  EXPECT_THAT(text, HasSubstr("ROOT %v0 = f32[8,8] custom-call(%v0_body), "
                              "custom_call_target=\"xla.sdy.LocalToGlobalShape\""));
  EXPECT_EQ(hlo_of(absl::StrReplaceAll(kText, {{"@other, axes", "@another, axes"}})),
            "line 10, column 12: expected a mesh of the module, found 'another'");
}

TEST(StableHlo, ABodyOfSeveralArraysIsCalledWithThem) {
  const std::string text = hlo_of(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32>, %b: tensor<6xi32>) -> (tensor<6xi32>, tensor<4xf32>) {
  %0:2 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] manual_axes={"x"} (%x: tensor<2xf32>, %y: tensor<3xi32>) {
    sdy.return %y, %x : tensor<3xi32>, tensor<2xf32>
  } : (tensor<4xf32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<4xf32>)
  %1:2 = sdy.named_computation<"layer">(%0#1, %0#0) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}]>] (%x: tensor<4xf32>, %y: tensor<6xi32>) {
    sdy.return %y, %x : tensor<6xi32>, tensor<4xf32>
  } : (tensor<4xf32>, tensor<6xi32>) -> (tensor<6xi32>, tensor<4xf32>)
  return %1#0, %1#1 : tensor<6xi32>, tensor<4xf32>
})");
  EXPECT_THAT(text, HasSubstr("%v0_local = (f32[2], s32[3]) custom-call(%a, %b)"));
  EXPECT_THAT(text, HasSubstr("%v0_body = (s32[3], f32[2]) call(%v0_local_0, %v0_local_1)"));
  EXPECT_THAT(text, HasSubstr("%v0 = (s32[6], f32[4]) custom-call(%v0_body_0, %v0_body_1)"));
  EXPECT_THAT(text, HasSubstr("%v1 = (s32[6], f32[4]) call(%v0_1, %v0_0)"));
}

TEST(StableHlo, QuantizedElementsAndBoundedSizes) {
  EXPECT_THAT(root_of(function_of({"tensor<4xf32>"},
                                  "stablehlo.uniform_quantize %a : (tensor<4xf32>) "
                                  "-> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:-30>>",
                                  "tensor<4x!quant.uniform<i8:f32, 5.000000e-01:-30>>")),
              HasSubstr("s8[4] custom-call(%a), custom_call_target=\"tileproof.elementwise\", "
                        "backend_config=\"stablehlo.uniform_quantize  i8:f32, 5.000000e-01:-30\""));
  EXPECT_THAT(root_of(function_of({"tensor<?x4xf32, #stablehlo.bounds<8, ?>>"},
                                  "stablehlo.abs %a : tensor<?x4xf32, #stablehlo.bounds<8, ?>>",
                                  "tensor<?x4xf32, #stablehlo.bounds<8, ?>>")),
              HasSubstr("f32[<=8,4] abs(%a)"));
  EXPECT_EQ(root_of(function_of({"tensor<4x?xf32, #stablehlo.bounds<?, ?>>"}, "", "tensor<f32>")),
            "line 2, column 39: expected a size that is known, found '?'");
}

// The first operation that is not read is named, not what its syntax breaks later.
TEST(StableHlo, AnOperationOfAnotherDialectIsNamedWhereItStands) {
  EXPECT_EQ(hlo_of("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                   "  %0 = vector.splat %a : tensor<4xf32>\n"
                   "  %1 = linalg.generic {indexing_maps = []} ins(%a : tensor<4xf32>) {\n"
                   "  ^bb0(%in: f32):\n  }\n}"),
            "line 2, column 8: operation 'vector.splat' of the dialect vector is not read");
}

TEST(StableHlo, AFusionCallsItsRegion) {
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
TEST(StableHlo, LayoutsOfXlaAreAllowedWhereTheyDoNotMatter) {
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

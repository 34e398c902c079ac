// SPDX-License-Identifier: Apache-2.0
// Texts that are no StableHLO, or that HLO cannot express: each is an error at its place.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "spec/lang/stablehlo/stablehlo_testing.h"

namespace tileproof::stablehlo {
namespace {

struct Malformed {
  std::string text, error;
};

// Operations of a function of %a and %i, from line 2 on.
std::string operations(const std::string& text, const std::string& then) {
  return absl::StrCat("func.func @main(%a: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {\n",
                      text, then, "\n}\n");
}

TEST(StableHloMalformed, ModulesFunctionsAndTypes) {
  const std::vector<Malformed> cases = {
      {"func.func", "column 10: expected '@' before a name, found end of input"},
      {"func.func main()", "column 11: expected '@' before a name, found 'main'"},
      {"func.func @", "column 12: expected a name after '@', found end of input"},
      {"func.func @main", "column 16: expected '(' to open arguments, found end of input"},
      {"func.func @\"main", "column 12: expected '\"' to close the string, found '\"'"},
      {"func.func @main(",
       "column 17: expected '%' before the name of a value, found end of input"},
      {"func.func @main(%a)", "column 19: expected ':' after an argument, found ')'"},
      {"func.func @main(%: tensor<f32>)", "column 18: expected a name after '%', found ':'"},
      {"func.func @main(%a: tensor<f32>",
       "column 32: expected ',' or ')' after an argument, found end of input"},
      {"func.func @main(%a: tensor<f32> %b: tensor<f32>)",
       "column 33: expected ',' or ')' after an argument, found '%'"},
      {"func.func @main() {", "column 20: expected '}' to close the region, found end of input"},
      {"func.func @main() -> tensor<f32> }", "column 34: expected '{' to open a region, found '}'"},
      {"func.func @main()", "column 18: expected '{' to open a region, found end of input"},
      {"func.func @main() { ^b(%x: tensor<f32>): return %x : tensor<f32> }",
       "column 11: expected a function of one block that returns"},
      {"func.func @main() { }", "column 11: expected a function of one block that returns"},
      {"module {", "column 9: expected '}' to close the module, found end of input"},
      {"module { }",
       "column 11: expected a module with a function before this, found end of input"},
      {"module @m { func.func", "column 22: expected '@' before a name, found end of input"},
      {"module @m attributes {a = \"b} {",
       "column 27: expected '\"' to close the string, found '\"'"},
      {"func.func @main(%a: tensor<f32>, %a: tensor<f32>) { return }",
       "column 11: expected each name once"},
      {"module { stablehlo.add }", "column 10: expected func.func, found 'stablehlo.add'"},
      {"#loc = loc(unknown)", "column 20: expected a module of StableHLO, found end of input"},
      {"stablehlo.x", "column 1: expected a module or func.func, found 'stablehlo.x'"},
      {"%r = stablehlo.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>",
       "column 1: expected a module or a func.func around this, which says the type of '%p'"},
      {"%r = stablehlo.abs %a : tensor<4xf32> }",
       "column 39: expected a module or func.func, found '}'"},
      {"func.func @main(%a: f33)", "column 21: expected a tensor, a tuple or a token"},
      {"func.func @main(%a: !stablehlo.tokn)", "column 22: expected a tensor, a tuple or a token"},
      {"func.func @main(%a: tensor f32)", "column 28: expected '<' after 'tensor', found 'f32'"},
      {"func.func @main(%a: tensor<4xf32)",
       "column 33: expected '>' to close the tensor, found ')'"},
      {"func.func @main(%a: tensor<4)", "column 28: expected a size and 'x', found '4'"},
      {"func.func @main(%a: tensor<4f32>)", "column 28: expected a size and 'x', found '4f32'"},
      {"func.func @main(%a: tensor<9999999999999999999xf32>)",
       "column 28: expected a size within 64 signed bits, found '9999999999999999999xf32'"},
      {"func.func @main(%a: tensor<4xf32,>)", "column 34: expected a value, found '>'"},
      {"func.func @main(%a: tuple f32)", "column 27: expected '<' after 'tuple', found 'f32'"},
      {"func.func @main(%a: tuple<tensor<f32> tensor<f32>>)",
       "column 39: expected ',' or '>' in a tuple, found 'tensor'"},
      {"func.func @main(%a: tensor<4xcomplex<f32>)",
       "column 42: expected '>' to close the tensor, found ')'"},
      {"func.func @main(%a: tensor<?xf32>)", "column 28: expected a size that is known, found '?'"},
      {"func.func @f() { call @g() : () -> () return } func.func @g() { call @f() : () -> () "
       "return }",
       "column 11: expected a function that nothing calls"},
      {"func.func @main() { call @f() : () -> () return } func.func @f() { call @f() : () -> () "
       "return }",
       "column 61: expected a function that does not call itself"},
      {"%0:9223372036854775807 = stablehlo.negate %a : tensor<4xf32>",  // no memory for so many
       "column 26: expected a type for each result that has a name"},
  };
  for (const Malformed& one : cases) EXPECT_EQ(hlo_of(one.text), one.error) << one.text;
}

TEST(StableHloMalformed, Operations) {
  const std::vector<Malformed> cases = {
      {"%0 stablehlo.negate %a : tensor<4xf32>",
       "line 2, column 4: expected '=' after the name of a value, found 'stablehlo.negate'"},
      {"%0 = ", "line 3, column 1: expected an operation, found '}'"},
      {"%0 = \"stablehlo.negate(%a) : tensor<4xf32>",
       "line 2, column 23: expected '\"' after the name of an operation, found '('"},
      {"%0 = \"stablehlo.negate\" %a",
       "line 2, column 25: expected '(' before the operands, found '%'"},
      {"%0 = \"stablehlo.add\"(%a %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 25: expected ',' or ')' after an operand, found '%'"},
      {"%0 = \"stablehlo.iota\"() <{iota_dimension = 0} : () -> tensor<4xf32>",
       "line 2, column 47: expected '>' after the properties, found ':'"},
      {"%0 = \"stablehlo.iota\"() <{= 0}> : () -> tensor<4xf32>",
       "line 2, column 27: expected the name of an attribute, found '='"},
      {"%0 = \"stablehlo.iota\"() <{iota_dimension = }> : () -> tensor<4xf32>",
       "line 2, column 44: expected a value, found '}'"},
      {"%0 = \"stablehlo.iota\"() <{iota_dimension = 0 x = 1}> : () -> tensor<4xf32>",
       "line 2, column 6: expected integers, found '0 x = 1'"},
      {"%0 = \"stablehlo.sort\"(%a) ({ } { }) : (tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 32: expected ',' or ')' after a region, found '{'"},
      {"%0 = \"stablehlo.negate\"(%a) (tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 30: expected '{' to open a region, found 'tensor'"},
      {"%0 = stablehlo.negate %a",
       "line 3, column 1: expected ':' and the types of an operation, found '}'"},
      {"%0 = stablehlo.custom_call @f(%a)) : (tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 34: expected a value, found ')'"},
      {"%0 = stablehlo.add %a %a : tensor<4xf32>",
       "line 2, column 23: expected ',' or ':' after an operand, found '%'"},
      {"%0 = stablehlo.negate %a#x : tensor<4xf32>",
       "line 2, column 26: expected the number of a result, found 'x'"},
      {"%0:x = stablehlo.negate %a : tensor<4xf32>",
       "line 2, column 4: expected the number of results, found 'x'"},
      {"%0 = stablehlo.negate %a : (tensor<4xf32> tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 43: expected ',' or ')' after a type, found 'tensor'"},
      {"%0 = stablehlo.negate %a : ", "line 3, column 1: expected a tensor, a tuple or a token"},
      {"%0 = stablehlo.negate %a loc(unknown) : tensor<4xf32>",
       "line 2, column 26: expected ',' or ':' after an operand, found 'loc'"},
      {"%0 = stablehlo.slice %a [0:4 : (tensor<4xf32>) -> tensor<4xf32>",
       "line 3, column 1: expected ']', found '}'"},
      {"%0 = stablehlo.while(%x = %i : tensor<i32>",
       "line 2, column 30: expected ',' or ')' after an operand, found ':'"},
      {"%0 = stablehlo.while %x", "line 2, column 22: expected '(' before the operands, found '%'"},
      {"%0 = stablehlo.while(%x %i) : tensor<i32>",
       "line 2, column 25: expected '=' after an argument of the loop, found '%'"},
      {"%0:2 = stablehlo.while(%x = %i, %y = %a) : tensor<i32> cond { } do { }",
       "line 2, column 56: expected a type for each operand before this, found 'cond'"},
      {"%0 = stablehlo.while(%x = %i) : tensor<i32> do { }",
       "line 2, column 45: expected 'cond', found 'do'"},
      {"%0 = stablehlo.while(%x = %i) : tensor<i32> cond { return %x : tensor<i32> }",
       "line 3, column 1: expected 'do', found '}'"},
      {"%0 = stablehlo.reduce %a", "line 2, column 23: expected '(' before an operand, found '%'"},
      {"%0 = stablehlo.reduce(%a) across", "line 2, column 25: expected 'init', found ')'"},
      {"%0 = stablehlo.reduce(%a init %i)",
       "line 2, column 31: expected ':' after 'init', found '%'"},
      {"%0 = stablehlo.reduce(%a init: %i across",
       "line 2, column 35: expected ')' after an operand, found 'across'"},
      {"%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add dimensions",
       "line 2, column 58: expected 'across', found 'dimensions'"},
      {"%0 = stablehlo.reduce(%a init: %i) across = [0]",
       "line 2, column 43: expected 'dimensions', found '='"},
      {"%0 = stablehlo.reduce(%a init: %i) across dimensions [0]",
       "line 2, column 54: expected '=' after 'dimensions', found '['"},
      {"%0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<4xf32>, tensor<i32>) "
       "-> tensor<f32> return",
       "line 2, column 106: expected 'reducer', found 'return'"},
      {"%0 = stablehlo.reduce(%a init: %i) across dimensions = [0] : (tensor<4xf32>, tensor<i32>) "
       "-> tensor<f32> reducer(%x: tensor<f32>) { }",
       "line 2, column 131: expected two arguments before this, found '{'"},
      {"%0 = stablehlo.negate %a : tensor<4xf32>",
       "line 2, column 6: expected a region that returns"},
  };
  for (const Malformed& one : cases) {
    EXPECT_EQ(hlo_of(operations(one.text, "")), one.error) << one.text;
  }
}

TEST(StableHloMalformed, WhatHloCannotExpress) {
  const std::vector<Malformed> cases = {
      {"\nreturn %a : tensor<4xf32>", "line 4, column 1: expected the end of the region"},
      {"%a = stablehlo.negate %a : tensor<4xf32>",
       "line 2, column 6: expected each name once, found '%a' again"},
      {"%0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected a function of the module, found @f"},
      {"%0 = stablehlo.negate %a#1 : tensor<4xf32>",
       "line 2, column 6: expected a value that is defined before, found '%a#1'"},
      {"%0 = stablehlo.negate %b#2 : tensor<4xf32>",
       "line 2, column 6: expected a value that is defined before, found '%b#2'"},
      {"%0:2 = stablehlo.negate %a : tensor<4xf32>",
       "line 2, column 8: expected a type for each result that has a name"},
      {"%0 = \"stablehlo.sort\"(%a) <{dimension = 0 : i64}> ({ ^b(%x: tensor<f32>, %y: "
       "tensor<f32>): %c = stablehlo.compare LT, %x, %z : (tensor<f32>, tensor<f32>) -> tensor<i1> "
       "stablehlo.return %c : tensor<i1> }) : (tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected a region that reads its own values, found '%z' from outside"},
      {"%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : "
       "(tensor<4xf32>, tensor<i32>) -> tuple<tensor<f32>>",
       "line 2, column 6: expected a reducing operation"},
      {"%0 = \"stablehlo.sort\"(%a) ({ ^b(%x: tensor<f32>, %x: tensor<f32>): stablehlo.return %x : "
       "tensor<f32> }) : (tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected each name once"},
      {"%0 = \"stablehlo.while\"(%i) ({ }) : (tensor<i32>) -> tensor<i32>",
       "line 2, column 6: expected a condition and a body"},
      {"%0 = \"stablehlo.while\"(%i) ({ ^b(%x: tensor<i32>, %y: tensor<i32>): return %x : "
       "tensor<i32> }, { ^b(%x: tensor<i32>): return %x : tensor<i32> }) : (tensor<i32>) -> "
       "tensor<i32>",
       "line 2, column 6: expected an argument for each operand of the loop"},
      {"%0 = stablehlo.while(%x = %i) : tensor<i32> cond { stablehlo.return %z : tensor<i1> } do { "
       "stablehlo.return %x : tensor<i32> }",
       "line 2, column 6: expected values that are defined before, found '%z'"},
      {"%0 = \"stablehlo.if\"(%i) ({ return %a : tensor<4xf32> }) : (tensor<i32>) -> tensor<4xf32>",
       "line 2, column 6: expected one operand, and a region for each branch"},
      {"%0 = \"stablehlo.case\"(%i, %i) ({ return %a : tensor<4xf32> }) : (tensor<i32>, "
       "tensor<i32>) -> tensor<4xf32>",
       "line 2, column 6: expected one operand, and a region for each branch"},
      {"%0 = \"stablehlo.case\"(%i) : (tensor<i32>) -> tensor<4xf32>",
       "line 2, column 6: expected one operand, and a region for each branch"},
      {"%0 = stablehlo.reverse %a, dims = [x] : tensor<4xf32>",
       "line 2, column 6: expected integers, found '[x]'"},
      {"%0 = stablehlo.reverse %a, dims = "
       "[x23456789012345678901234567890123456789012345678901234567890123] : tensor<4xf32>",
       "line 2, column 6: expected integers, found "
       "'[x2345678901234567890123456789012345678901234567890123456789'"},
      {"%0 = stablehlo.iota dim = [0, 1] : tensor<4xf32>",
       "line 2, column 6: expected one integer as 'dim'"},
      {"%0 = \"stablehlo.iota\"() : () -> tensor<4xf32>",
       "line 2, column 6: expected one integer as 'iota_dimension'"},
      {"%0 = stablehlo.pad %a, %i, low = [0, 1], high = [0], interior = [0] : (tensor<4xf32>, "
       "tensor<i32>) -> tensor<4xf32>",
       "line 2, column 6: expected 1 integer as 'low'"},
      {"%0 = stablehlo.pad %a, low = [0], high = [0], interior = [0] : (tensor<4xf32>) -> "
       "tensor<4xf32>",
       "line 2, column 6: expected 2 operands, found 1"},
      {"%0 = \"stablehlo.gather\"(%a, %i) <{slice_sizes = array<i64: 1>}> : (tensor<4xf32>, "
       "tensor<i32>) -> tensor<f32>",
       "line 2, column 6: expected the attribute 'dimension_numbers'"},
      {"%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather, slice_sizes = "
       "array<i64: 1>}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>",
       "line 2, column 6: expected the attribute 'dimension_numbers'"},
      {"%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = "
       "[]> x, "
       "slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>",
       "line 2, column 6: expected the attribute 'dimension_numbers'"},
      {"%0 = \"stablehlo.negate\"(%a) ({ ^b(%x: tensor<f32>): stablehlo.return %x : tensor<f32> }) "
       ": "
       "(tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected an operation that HLO has, found stablehlo.negate"},
      {"%0 = stablehlo.convolution(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected 'dim_numbers'"},
      {"%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[i, o] : (tensor<4xf32>, "
       "tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected dimension numbers of a convolution"},
      {"%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, 0, f]x[i, 0, o]->[b, 0, f] : "
       "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected a kernel of the rank of its labels"},
      {"%0 = stablehlo.dot_general %a, %a, contracting_dims = [0] : (tensor<4xf32>, tensor<4xf32>) "
       "-> tensor<f32>",
       "line 2, column 6: expected '[..] x [..]'"},
      {"%0 = stablehlo.dot %a : (tensor<4xf32>) -> tensor<f32>",
       "line 2, column 6: expected 2 operands, found 1"},
      {"%0 = \"stablehlo.select_and_scatter\"(%a, %a, %i) <{window_dimensions = array<i64: 2>}> : "
       "(tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>",
       "line 2, column 6: expected two regions"},
      {"%0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<4xf32>) -> tensor<4x4xf32>",
       "line 2, column 6: expected a dimension of the result for each dimension of the operand"},
      {"%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected dimensions of the result, found 1"},
      {"%0 = stablehlo.broadcast_in_dim %a, dims = [-1] : (tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected dimensions of the result, found -1"},
      {"%0 = stablehlo.constant dense<1> : tuple<tensor<f32>>",
       "line 2, column 6: expected the type of a constant"},
      {"%0 = \"stablehlo.constant\"() : () -> tensor<4xf32>",
       "line 2, column 6: expected 'dense<..>'"},
      {"%0 = stablehlo.reduce_precision %a, format = m5 : tensor<4xf32>",
       "line 2, column 6: expected a format such as e5m10"},
      {"%0 = stablehlo.reduce_precision %a, format = e5 : tensor<4xf32>",
       "line 2, column 6: expected a format such as e5m10"},
      {"%0 = \"mhlo.fusion\"(%a) : (tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected one region"},
      {"%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, replica_groups = [[0]]}> : "
       "(tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected replica groups"},
      {"%0 = \"stablehlo.all_to_all\"(%a, %a) <{split_dimension = 0, concat_dimension = 0, "
       "split_count = 1}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
       "line 2, column 6: expected one array, found 2 operands"},
      {"%0 = \"stablehlo.all_to_all\"(%a) <{split_dimension = 0, concat_dimension = 0}> : "
       "(tensor<4xf32>) -> tensor<4xf32>",  // once lost memory
       "line 2, column 6: expected one integer as 'split_count'"},
      {"%0 = other.negate %a : tensor<4xf32>",
       "line 2, column 6: operation 'other.negate' of the dialect other is not read"},
      {"%0 = sdy.sharding_constraint %a, %a : tensor<4xf32>",
       "line 2, column 6: expected an operation that HLO has, found sdy.sharding_constraint"},
      {"%0 = stablehlo.negaet %a : tensor<4xf32>",
       "line 2, column 6: expected an operation that HLO has, found stablehlo.negaet; did you mean "
       "'stablehlo.negate'?"},
  };
  for (const Malformed& one : cases) {
    EXPECT_EQ(hlo_of(operations(one.text, "\nreturn %a : tensor<4xf32>")), one.error) << one.text;
  }
}

// ---- Limits ----

std::string nested(const std::string& open, const std::string& inside, const std::string& close,
                   int count) {
  std::string text = inside;
  for (int i = 0; i < count; ++i) text = absl::StrCat(open, text, close);
  return text;
}

TEST(StableHloMalformed, NestingHasALimit) {
  const auto tuple = [](int count) {
    return hlo_of(absl::StrCat("func.func @main(%a: ", nested("tuple<", "tensor<f32>", ">", count),
                               ") -> tensor<f32> {\n%0 = stablehlo.constant dense<1.0> : "
                               "tensor<f32>\nreturn %0 : tensor<f32>\n}\n"));
  };
  EXPECT_EQ(tuple(20).find("expected"), std::string::npos) << tuple(20);
  EXPECT_NE(tuple(1001).find("types nested at most 1000"), std::string::npos) << tuple(1001);
  const auto braces = [](int count) {
    return hlo_of(absl::StrCat("module @m attributes ", nested("{", "a", "}", count),
                               " {\nfunc.func @main(%a: tensor<f32>) -> tensor<f32> {\nreturn %a "
                               ": tensor<f32>\n}\n}\n"));
  };
  EXPECT_EQ(braces(1000).find("expected"), std::string::npos) << braces(1000);
  EXPECT_NE(braces(1001).find("brackets nested at most 1000"), std::string::npos);
}

}  // namespace
}  // namespace tileproof::stablehlo

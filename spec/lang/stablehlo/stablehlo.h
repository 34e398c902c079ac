// SPDX-License-Identifier: Apache-2.0
// A module of StableHLO, as written.
//
//     module @jit_f {
//       func.func public @main(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
//         %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
//         return %0 : tensor<3x2xf32>
//       }
//     }
//
// Operations of linalg, tensor, arith, affine, memref and others that are written alike:
//
//     %1 = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%0 : tensor<3x2xf32>) permutation = [1, 0]
//     %2 = tensor.extract_slice %1[1, %i] [2, 2] [1, 1] : tensor<3x2xf32> to tensor<2x2xf32>
//
//         operands {a, 0}, attributes permutation = [1, 0] and operandSegmentSizes = 1, 1
//         operands {1, i}, attributes `[]` = [1, %i], [2, 2] and [1, 1]
//
// In attributes, the name of a map that the text defines, `#map`, is its definition.
//
// The reader knows the syntax of operations, not which there are. Attributes stay text.
// Source: StableHLO's specification and what JAX prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/element_type.h"

namespace tileproof::stablehlo {

// tensor<2x3xf32>, tuple<..>, !stablehlo.token
//
// A quantized element has its storage type: `tensor<4x!quant.uniform<i8:f32, 0.5>>` is s8[4]. A size
// `?` has a bound: `tensor<?xf32, #stablehlo.bounds<8>>` is f32[<=8]. Without one, it is that of an operand, if
// both have one type. A vector is read as a tensor, and `f32` or `index`, which is s64, as one without
// dimensions.
struct Type {
  std::string shape;                   // as HLO writes it: "f32[2,3]", "(f32[], s32[2])", "token[]"
  std::optional<ElementType> element;  // of a tensor
  std::vector<int64_t> dims;
  std::string memref = {};     // its text, if it is one
  std::string quantized = {};  // `i8:f32, 0.5`, of a quantized element
  size_t unknown = 0;          // where a size `?` without a bound is in the text; 0: nowhere
};

// A tensor of these sizes.
Type tensor_of(ElementType element, std::vector<int64_t> dims);

// The name of a value: "arg0" of `%arg0`, "0#1" of `%0#1`.
struct Operand {
  Operand(std::string of) : name(std::move(of)) {}
  std::string name;
};

// The name of one of the results of `%0:2 = ..`: `%0`, `%0#1`.
std::string result_name(absl::string_view name, int64_t result);

using Attributes = std::vector<std::pair<std::string, std::string>>;

struct Argument {
  std::string name;
  Type type;
  Attributes shardings = {};  // `sdy.sharding` and `mhlo.sharding`, if they are there
};

struct Op;

// What is between braces: arguments of its block, and operations. The last one returns.
struct Region {
  std::vector<Argument> arguments;
  std::vector<Op> ops;
};

// `%0`, `%0:3`: a name of so many results.
struct Results {
  std::string name;
  int64_t count = 1;
};

struct Op {
  size_t position = 0;           // in the text
  std::string name;              // "stablehlo.transpose"
  std::vector<Results> results;  // of `%values, %indices =`, in order
  std::vector<Operand> operands;
  std::string callee;              // of `call @f(..)`, `custom_call @target(..)`, a composite
  std::vector<std::string> words;  // `LT` of a compare; the reducing operation of a reduce
  Attributes attributes;
  std::vector<Region> regions;
  std::vector<Type> types;          // of the results
  std::vector<Type> operand_types;  // as they are written; empty if not each is
  bool keeps_types = false;         // result i has the type of operand i
};

struct Function {
  std::string name;
  size_t position = 0;
  Region body;
  std::vector<Attributes> shardings = {};  // of each result
};

// `sdy.mesh @mesh = <["x"=4, "y"=2], device_ids=[..]>`: what is between the angle brackets.
struct Mesh {
  std::string name;
  std::string text;
};

struct Module {
  std::string name;
  std::vector<Function> functions;
  std::vector<Mesh> meshes;
  Attributes attributes = {};
  std::string asked = {};  // the function that `#tileproof.function = @f` names
};

// The value of an attribute; null if there is none.
const std::string* find_attribute(const Attributes& attributes, absl::string_view name);

// `a = 1, b = [2]`, as it is between the brackets of an attribute.
absl::StatusOr<Attributes> parse_attributes(absl::string_view text);

// All modules of a text; at least one. A text without `module` is one. Errors name line and column.
absl::StatusOr<std::vector<Module>> parse(absl::string_view text);

}  // namespace tileproof::stablehlo

// SPDX-License-Identifier: Apache-2.0
// One operation of StableHLO as an operation of HLO: opcode, operands and attributes.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/stablehlo/stablehlo.h"

namespace tileproof::stablehlo {

// An operand as HLO knows it.
struct Value {
  std::string name;
  Type type;
};

// Instructions: the shape and what follows it. The writer names them; `%0` is the one before.
//
//     f32[8] reshape(a)      f32[3,8] broadcast(%0), dimensions={1}
struct Piece {
  std::string shape;
  std::string text;
};

// For all operations but calls, returns, and those with branches and loops. `applied` are the names
// of the computations of its regions, and `meshes` those of the module. Errors name no place.
absl::StatusOr<std::vector<Piece>> pieces_of(const Op& op, const std::vector<Value>& operands,
                                             const std::vector<std::string>& applied,
                                             const std::vector<Mesh>& meshes);

// The shape of the results: a tuple if there are several.
std::string shape_of(const std::vector<Type>& types);

}  // namespace tileproof::stablehlo

// SPDX-License-Identifier: Apache-2.0
// linalg's operations in one form: maps, iterators and a body. Private to spec/lang/stablehlo.
//
//     linalg.matmul ins(%a, %b) outs(%c)
//         maps  (d0, d1, d2) -> (d0, d2)   (d2, d1)   (d0, d1), of which d2 is reduced
//         body  ^bb0(%x, %y, %z): z + x * y
//
// Source: MLIR's linalg dialect, and its named operations in LinalgNamedStructuredOps.yaml.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/stablehlo/lowering.h"

namespace tileproof::stablehlo {

struct Generic {
  std::vector<std::string> operands;  // inputs, then outs
  std::vector<Type> types;            // of them
  size_t inputs = 0;
  std::vector<IndexingMap> maps;   // one for each operand, without bounds
  std::vector<bool> is_reduction;  // by dimension
  Region body;                     // its arguments are the elements of inputs and outs
};

// The types of all operands are known. Errors: an operation that is not known, maps that do not fit.
absl::StatusOr<Generic> generic_of(const Op& op, Around around);

}  // namespace tileproof::stablehlo

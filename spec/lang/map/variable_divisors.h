// SPDX-License-Identifier: Apache-2.0
// Maps in which variables divide, as in MLIR: `d0 mod s0`.
//
//     (d0)[s0] -> (d0 mod s0), domain: d0 in [0, 99], s0 in [1, 8]
//
// A divisor is one variable, and its bounds exclude 0. An affine_map has no bounds: as in MLIR, a
// variable that divides in it is at least 1. Only functions that say so take such maps; for all
// others a divisor is a constant.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// parse_map, but variables may divide. Errors: bounds of a divisor that do not exclude 0.
absl::StatusOr<IndexingMap> parse_map_with_variable_divisors(absl::string_view text);
absl::StatusOr<IndexingMap> parse_map_with_variable_divisors(Cursor& cursor);  // at a cursor

// Whether a variable divides in a result or a constraint.
bool has_variable_divisors(const IndexingMap& map);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Maps in which variables divide, as in MLIR: `d0 mod s0`.
//
//     (d0)[s0] -> (d0 mod s0), domain: d0 in [0, 99], s0 in [1, 8]
//
// A divisor is an expression of variables whose bounds show that it is not 0: `s0`, `s0 * s1`, `d0 + 1`,
// `min(s0, 8)`. An affine_map has no bounds, and here neither has a map without `domain:`. As in MLIR, variables of a
// divisor are at least 1 then. Only functions that say so take such maps; for all others a divisor is a constant.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// parse_map, but variables may divide. Errors: bounds of a divisor that do not exclude 0.
absl::StatusOr<IndexingMap> parse_map_with_variable_divisors(absl::string_view text);
absl::StatusOr<IndexingMap> parse_map_with_variable_divisors(Cursor& cursor);  // at a cursor

// A variable, by its kind and number.
using VariableId = std::pair<Op, int64_t>;

// The variables of divisors, also of those that nothing uses.
std::set<VariableId> variables_that_divide(const IndexingMap& map);

// Whether there are some.
bool has_variable_divisors(const IndexingMap& map);

}  // namespace tileproof

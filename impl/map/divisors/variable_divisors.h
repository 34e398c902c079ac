// SPDX-License-Identifier: Apache-2.0
// Simplifies maps in which variables divide (spec/lang/map/variable_divisors.h).
//
// Each `e floordiv s`, `e ceildiv s` and `e mod s` becomes a variable of its own, with bounds that
// hold all its values. Whatever holds for all values of the new variable holds for this one, so the
// map is simplified as usual, and then the variable becomes the operation again, on the simplified e.
//
//     (d0 * 2 - d0) mod s0 + d0 mod s0       v + v  =  v * 2       (d0 mod s0) * 2
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// If the values of an operation do not fit int64, the map stays as it is. Errors: those of simplify.
absl::StatusOr<IndexingMap> simplify_with_variable_divisors(const IndexingMap& map);

}  // namespace tileproof::impl

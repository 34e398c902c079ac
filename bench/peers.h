// SPDX-License-Identifier: Apache-2.0
// Other libraries that do what we do. Each is built only if it is installed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// MLIR's simplifier: building the affine expressions, which folds them, and simplifyAffineMap. It knows
// no domain. It can express a map without products of variables and divisors below 1.
bool mlir_expresses(const IndexingMap& map);
void simplify_with_mlir_22(absl::Span<const IndexingMap> maps);

// The nanoseconds, for each map the best of a few runs, of isl on piecewise functions: gist by its box,
// then coalesce. Parsing the text is not measured. Nothing if a map is not affine, or takes more than
// ten million isl operations.
std::optional<double> simplify_with_isl(absl::Span<const IndexingMap> maps);

// oneDNN's reorder of a matrix of f32 from rows into blocks of 16 x 16: `ab` to `AB16b16a`, which it
// writes with the columns of a block side by side.
std::function<void()> onednn_reorder(int64_t rows, int64_t columns, void* source,
                                     void* destination);

}  // namespace tileproof

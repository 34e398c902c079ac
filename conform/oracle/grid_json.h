// SPDX-License-Identifier: Apache-2.0
// A grid as JSON, the file of `tileproof grid` (docs/manual.md):
//
//     {"grid": [2, 2], "semantics": ["parallel", "arbitrary"],
//      "operands": [{"name": "out", "kind": "out", "shape": [4, 6], "block": [2, 3],
//                    "index_map": "(i, j) -> (i, j), domain: i in [0, 1], j in [0, 1]"}]}
//
// A block dimension is a size; null or {"squeezed": true}, one element that the kernel does not see;
// or {"element": n, "padding": [lo, hi]}. Without semantics, every dimension is arbitrary. A scalar
// `{"name": "page", "bounds": [0, 7]}` bounds the runtime variable of that name in the index maps.
#pragma once

#include "absl/status/statusor.h"
#include "conform/protocol/json.h"
#include "spec/access/grid.h"

namespace tileproof::conform {

// Errors name the key, or the operand and its key: "operands[1]: block: expected ..".
absl::StatusOr<spec::Grid> grid_in(const Json& json);

// The JSON of a grid. Runtime variables keep their bounds in the index maps.
Json json_of(const spec::Grid& grid);

}  // namespace tileproof::conform

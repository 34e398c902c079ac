// SPDX-License-Identifier: Apache-2.0
// Affine maps on values, and memrefs that are views of others. Private to lower_memory.cc.
//
//     memref.subview %m[2, 3] [4, 8] [1, 1]      a view of %m by (d0, d1) -> (d0 + 2, d1 + 3)
//     memref.subview %m[%i, 3] [4, 8] [1, 1]      (d0, d1, d2) -> (d0 + d2, d1 + 3), with %i for d2
//     affine.load %m[%k + 1, %n]                 (d0 + 1, d1) of %k and %n
//
// Source: MLIR's documentation of the dialects memref and affine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/stablehlo/lowering.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {

// A map and the names of its values.
struct Applied {
  IndexingMap map;
  std::vector<std::string> values;
};

// OK if there is a value for each variable.
absl::Status expect_each(const Applied& applied, absl::string_view what);

// A map on the operands of an operation from `first` on.
absl::StatusOr<Applied> on_operands(const Op& op, size_t first, const std::string& map);

// `affine_map<..>(%a)[%n]`, `5`, `%n`
absl::StatusOr<Applied> applied_of(const std::string& text);

// The index of a load or store: in brackets, or the attribute `map` and operands from `first` on.
absl::StatusOr<Applied> index_of(const Op& op, size_t first);

// The value of an expression at an index; nothing if it does not fit 64 bits.
std::optional<int64_t> value_at(const IndexingMap& map, NodeId root, const Ints& index);

// (d0, d1, ..) -> (d0, d1, ..)
absl::StatusOr<IndexingMap> identity_map(size_t rank);
bool is_identity(const IndexingMap& map);

// A memref: the index of its root at each of its own indices. The dimensions of the map are those of the
// index, then offsets that are values.
struct View {
  std::string root;
  Ints dims;
  IndexingMap map;
  std::vector<std::string> values;
};

// What memref.subview, transpose, cast, reinterpret_cast, expand_shape or collapse_shape makes of a view
// of an array of these sizes. Errors: what is no affine map, a type that says another place.
absl::StatusOr<View> viewed(const Op& op, const View& from, const Ints& whole, const Known& known);

}  // namespace tileproof::stablehlo

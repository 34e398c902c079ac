// SPDX-License-Identifier: Apache-2.0
// The maps and memrefs in a text of MLIR: a whole .mlir file, a fragment, or a test of one.
//
//     #map = affine_map<(d0, d1) -> (d1, d0)>
//     // CHECK-DAG: #[[$TILE:.*]] = #xla.indexing_map<"(d0) -> (d0 floordiv 8),
//     // CHECK-SAME: domain: d0 in [0, 63]">
//     %0 = memref.alloc() : memref<8x128xf32, strided<[256, 1], offset: 4>>
//
// find_mlir looks for what it knows, affine_map<..>, #xla.indexing_map<..> and memref<..>, and skips
// everything else, strings and comments included. In a comment that begins with a word in upper case
// and a colon, as in tests, the rest of the line is text. An item after `#name =` or
// `#[[NAME:.*]] =` has that name, and a memref may have `#name` as its layout or memory space, if the
// text defines it: `#vmem = #tpu.memory_space<vmem>`.
//
// A memref is the map from an index to an offset in elements (spec/lang/map/memref_text.h). One
// whose sizes, strides, offset or rank are not known has none.
// Source: MLIR's builtin dialect; XLA indexing maps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

enum class MlirKind { kAffineMap, kIndexingMap, kMemRef };

struct MlirItem {
  MlirKind kind = MlirKind::kAffineMap;
  std::string name;  // without '#'; empty if the item has none
  std::string text;  // as it is written, without the prefixes of comments
  int64_t line = 1;
  bool is_dynamic = false;  // a memref with `?` or `*`, which has no map
  IndexingMap map;  // of a memref: from an index to an offset; variables may divide in others
};

// Returns all maps and memrefs, in the order of the text. Errors name line and column: a map or
// memref that cannot be parsed, two maps of one name.
absl::StatusOr<std::vector<MlirItem>> find_mlir(absl::string_view text);

// The text as MLIR has it: affine_map<(d0)[s0] -> (d0 + s0)>, or #xla.indexing_map<"..">. An
// affine_map has no bounds, so they are left out. Errors: an affine_map with constraints or runtime
// variables.
absl::StatusOr<std::string> to_mlir(const IndexingMap& map, MlirKind kind);

// Whether nothing bounds the variables: every variable may be any int64, at least 1 if it divides,
// and there are no constraints. This is how an affine_map is read.
bool is_unbounded(const IndexingMap& map);

}  // namespace tileproof

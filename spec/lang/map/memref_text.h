// SPDX-License-Identifier: Apache-2.0
// Memrefs of MLIR: a type that says where the elements of an array lie.
//
//     memref<4x8xf32>                                  d0 * 8 + d1
//     memref<4x8xf32, strided<[16, 2], offset: 3>>     d0 * 16 + d1 * 2 + 3
//     memref<4x8xf32, affine_map<(d0, d1) -> (d1 * 4 + d0)>>                      d1 * 4 + d0
//     memref<16x8xf32, affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>>
//                                    (d0 floordiv 8) * 64 + d1 * 8 + d0 mod 8
//
//     memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>>         Mosaic: spec/lang/map/memref_text.h
//
// A layout map with several results gives a physical index, whose row-major position is the offset.
// As in MLIR's normalization of memrefs, the size of a result `e mod c` is c. The size of another
// result is its largest value plus 1; results must not be negative. Memory spaces do not matter. An
// attribute that is neither a known layout nor a known memory space is an error.
// Source: MLIR's builtin dialect, "MemRefType"; "Normalize MemRefs".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/expr.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

struct MemRef {
  std::string text;  // as written, in one line
  std::vector<int64_t> dims;
  std::string element_type;  // "f32", "vector<4xf32>"
  std::optional<int64_t>
      element_bits;  // of f32, bf16, i8, ..; nothing: less than a byte, or unknown
  // From an index to its offset, without ceildiv. Each divisor, and one factor of each product, is
  // a constant node; divisors are positive. At every index, every number of the computation fits
  // int64.
  IndexingMap map;

  bool operator==(const MemRef&) const = default;
};

// The map of a name that the text uses as a layout, `#map`; null if there is none.
using NamedMaps = absl::FunctionRef<const IndexingMap*(absl::string_view name)>;

// Where the text of the definition of `#name` begins, behind '='; nothing if it has none.
using Definitions = absl::FunctionRef<std::optional<size_t>(absl::string_view name)>;

// Parses the whole text as one memref. Errors: sizes, strides, offsets or a rank that are not known
// (`?`, `*`: kFailedPrecondition); a layout map with another number of dimensions, with symbols or a
// product of dimensions, an unknown attribute, numbers that do not fit int64.
absl::StatusOr<MemRef> parse_memref(absl::string_view text);

// The map of the memref, where each `?` of `strided` is a symbol that may be any int64, in the order
// of the text; the strides come first:
//
//     memref<4x8xf32, strided<[?, 1], offset: ?>>
//         (d0, d1)[s0, s1] -> (d0 * s0 + d1 + s1), domain: d0 in [0, 3], d1 in [0, 7]
//
// Two memrefs have one type with the same offset and strides only if their symbols are equal.
// Errors: as parse_memref.
absl::StatusOr<IndexingMap> parse_memref_with_symbols(absl::string_view text);

// Parses one memref at the cursor and moves the cursor past it.
absl::StatusOr<MemRef> parse_memref(Cursor& cursor, NamedMaps named, Definitions definitions);

// Returns whether a memref begins here.
bool looks_like_memref(absl::string_view text);

inline std::string to_text(const MemRef& memref) { return memref.text; }

// Attributes of dialects in a memref: Mosaic's tiled layout, and memory spaces.
//
//     memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>
//
// A tiled layout has tiles as XLA writes them, and the stride of each dimension, counted in tiles (in
// elements, for a dimension that is not tiled and without tiles). Here the offset is
//
//     ((d0 floordiv 8) * 2 + d1 floordiv 128) * 1024 + (d0 mod 8) * 128 + d1 mod 128
//
// The elements of the first tile are contiguous. Each further tile divides what the tile before it
// left inside of the first. Source: Mosaic's TiledLayoutAttr (getAffineMap, verify).

struct TiledAttribute {
  std::vector<std::vector<int64_t>> tiles;
  std::vector<int64_t> inside;   // the sizes that the further tiles split the first tile into
  std::vector<int64_t> strides;  // of each dimension, in elements of the memref
};

// Parses `<(8,128)(2,1),[2,1]>`, after the name, for a memref of that rank. Errors: another number of
// strides, a tile of more dimensions than the memref, a further tile that does not divide, numbers
// that do not fit 64 bits.
absl::StatusOr<TiledAttribute> parse_tiled_attribute(Cursor& cursor, size_t rank);

// Appends the offset of the index (d0, d1, ..) to the expressions.
NodeId add_offset(const TiledAttribute& layout, ExprTable& nodes);

// Whether an attribute of this name, "gpu.address_space", is a memory space.
bool is_memory_space(absl::string_view name);

}  // namespace tileproof

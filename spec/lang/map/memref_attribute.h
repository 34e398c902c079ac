// SPDX-License-Identifier: Apache-2.0
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
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/expr.h"

namespace tileproof {

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

// SPDX-License-Identifier: Apache-2.0
// Shapes with layouts, as values.
//
//     bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)S(1)}
//
// An array shape is an element type, dimensions, and a layout. The layout determines where each
// element is in memory.
//
// spec/layout/tiled_layout.h defines the meaning, spec/lang/layout/shape_text.h the text.
//
// Source: XLA, "Shapes and layout" and "Tiled layout" (docs/sources.md); the fields are those that XLA prints.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "spec/lang/base/element_type.h"

namespace tileproof {

inline constexpr int kMaxRank = 64;
inline constexpr int kMaxTiles = 64;

// One dimension of an array: `8`, `<=8` (at most 8, known at run time) or `?` (any size).
struct Dimension {
  enum class Kind : uint8_t { kFixed, kBounded, kUnbounded };
  Kind kind = Kind::kFixed;
  int64_t size = 0;  // the bound if bounded; 0 if unbounded

  bool operator==(const Dimension&) const = default;
};

// The sizes of a tile, major to minor. They apply to the most minor dimensions. kCombine, written
// `*`, merges its dimension into the next more minor one before tiling.
struct Tile {
  static constexpr int64_t kCombine = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> dims;

  bool operator==(const Tile&) const = default;
};

// `SC(d:i,j,..)`: physical dimension d, counted from the most major, is split at i, j, .. into
// pieces in different memories. It never changes an offset.
struct SplitConfig {
  int64_t dimension = 0;
  std::vector<int64_t> points;

  bool operator==(const SplitConfig&) const = default;
};

struct Layout {
  std::vector<int64_t> minor_to_major;  // logical dimension numbers, most minor first
  std::vector<Tile> tiles;              // T(..)(..), applied in this order
  int64_t tail_padding_alignment = 1;   // L(n), in elements: the size is rounded up to a multiple
  int64_t element_size_in_bits = 0;     // E(n); 0: the bytes of the type
  int64_t memory_space = 0;             // S(n)
  std::vector<SplitConfig> splits;      // SC(..)(..)
  int64_t dynamic_shape_metadata_prefix_bytes = 0;  // M(n)

  bool operator==(const Layout&) const = default;
};

// An array `f32[2,3]{1,0}` (with `token[]` and `opaque[]`), a tuple `(f32[], s32[4])`, or a buffer
// `b(f32[4])`.
struct Shape {
  enum class Kind : uint8_t { kArray, kTuple, kBuffer };
  Kind kind = Kind::kArray;

  // Array only.
  ElementType element_type = ElementType::kF32;
  std::vector<Dimension> dimensions;
  std::optional<Layout> layout;  // nullopt: the default, row-major

  // The parts of a tuple, or the array of a buffer.
  std::vector<Shape> parts;

  bool operator==(const Shape&) const = default;

  int64_t rank() const { return static_cast<int64_t>(dimensions.size()); }
};

// An array of fixed dimensions.
Shape make_array(ElementType type, const std::vector<int64_t>& dimensions,
                 std::optional<Layout> layout = std::nullopt);

// Returns {rank-1, .., 1, 0}: row-major, no tiles.
Layout default_layout(int64_t rank);

// Returns the layout of an array, or the default layout if it has none.
Layout layout_of(const Shape& array);

// Returns whether kind, element types and sizes are equal, as ShapeUtil::Compatible of XLA does.
// `5` equals `<=5`, `?` equals any size. Layouts may differ.
bool compatible(const Shape& a, const Shape& b);

}  // namespace tileproof

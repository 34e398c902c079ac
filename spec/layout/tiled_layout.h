// What a layout means: the reference.
//
// A layout is a list of steps (spec/layout/layout_steps.h) that take an array from its logical dimensions to the
// one dimension of memory:
//
//   1. transpose into physical order, major to minor;
//   2. for each tile: put dimensions of 1 in front until there are as many as the tile has sizes;
//   combine each starred
//      dimension with the next more minor one; pad each tiled dimension to a multiple of its tile
//      size; split it into (tiles, tile); transpose the tile sizes to the end;
//   3. combine all into one dimension, and pad that to the tail alignment L.
//
// The place of an element is where its id ends up; every other place is padding. No formula for the
// offset appears.
//
//     f32[3,5]{1,0:T(2,2)}   [3,5] -pad-> [4,6] -split-> [2,2,3,2] -transpose-> [2,3,2,2]
//     -combine-> [24] element (2,3)          pad (2,3), split (1,0,1,1), transpose (1,1,0,1),
//     combine 17
//
// Source: seed "Tiled layout"; INTERFACE, section 2 "Layouts". impl/layout/tiled_layout.h answers the same
// questions fast.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/layout/shape.h"
#include "spec/layout/layout_steps.h"

namespace tileproof::spec {

struct TiledLayout {
  std::vector<Step> steps;
  std::vector<Dims>
      dims;  // dims[i] are those before steps[i]; the last one is the buffer: {elements}
  size_t physical_position =
      0;              // dims[physical_position] are the physical dimensions, after all tiles
  int64_t bytes = 0;  // ceil(elements * bits / 8)

  const Dims& logical() const { return dims.front(); }
  const Dims& physical() const { return dims[physical_position]; }
  int64_t elements() const { return dims.back().front(); }
};

// The steps of an array's layout. Bounded dimensions count as their bound. Errors: a shape that is
// not valid, an unbounded dimension, a tuple, token, opaque or buffer, a size that does not fit
// int64.
absl::StatusOr<TiledLayout> tiled_layout(const Shape& shape);

// The same of a shape that is known to be valid, as those are that parse_shape has read.
absl::StatusOr<TiledLayout> tiled_layout_of_valid(const Shape& shape);

// All of memory: the logical id (row-major count) of the element at each offset, Array::kPadding
// where there is none. Holds `elements` numbers.
std::vector<int64_t> buffer(const TiledLayout& layout);

// The offset of the element at a logical index. An error where the index is not in the array.
absl::StatusOr<int64_t> linearize(const TiledLayout& layout, const std::vector<int64_t>& index);

// The logical index of the element at an offset; nothing in padding and in the tail. An error
// outside [0, elements).
absl::StatusOr<std::optional<std::vector<int64_t>>> delinearize(const TiledLayout& layout,
                                                                int64_t offset);

// The same two on any number type, without the checks: the whole way of an index through the steps.
template <class N>
N offset_of(const TiledLayout& layout, std::vector<N> index) {
  for (size_t i = 0; i < layout.steps.size(); ++i) {
    index = forward(layout.steps[i], layout.dims[i], std::move(index));
  }
  return index.front();
}

template <class N>
Preimage<N> preimage_of(const TiledLayout& layout, N offset, Truth<N> exists) {
  Preimage<N> preimage{{std::move(offset)}, exists};
  for (size_t i = layout.steps.size(); i-- > 0;) {
    preimage =
        backward(layout.steps[i], layout.dims[i], std::move(preimage.index), preimage.exists);
  }
  return preimage;
}

}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// Tiled layouts of XLA: the reference.
//
// A layout is a list of steps (spec/layout/layout_steps.h). They take an array from its logical
// dimensions to the one dimension of memory:
//
//   1. Transpose into physical order, major to minor.
//   2. For each tile:
//        a. prepend dimensions of 1 until there are as many dimensions as tile sizes;
//        b. combine each starred dimension with the next more minor one;
//        c. pad each tiled dimension to a multiple of its tile size;
//        d. split each tiled dimension into (tiles, tile);
//        e. transpose the tile sizes to the end.
//   3. Combine all dimensions into one, and pad it to a multiple of the tail alignment L.
//
// The offset of an element is the position at which the steps put it. All other positions are
// padding. There is no formula for the offset.
//
//     f32[3,5]{1,0:T(2,2)}    dimensions     element (2,3)
//     logical                 [3,5]          (2,3)
//     pad                     [4,6]          (2,3)
//     split                   [2,2,3,2]      (1,0,1,1)
//     transpose               [2,3,2,2]      (1,1,0,1)
//     combine                 [24]           17
//
// impl/layout/tiled_layout.h answers the same questions fast. Source: XLA, "Tiled
// layout" (docs/sources.md). `tileproof layout --differences` lists where XLA does otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/lang/layout/shape.h"
#include "spec/layout/layout_steps.h"

namespace tileproof::spec {

// A layout whose sizes are of type S: int64_t, or larger integers for arrays beyond 64 bits.
template <class S>
struct SizedLayout {
  using Sizes = std::vector<S>;

  std::vector<Step> steps;
  std::vector<Sizes> dims;       // dims[i]: before steps[i]; dims.back(): the buffer, {elements}
  size_t physical_position = 0;  // of the physical dimensions in dims, after all tiles
  S bytes{};                     // ceil(elements * bits / 8)

  const Sizes& logical() const { return dims.front(); }
  const Sizes& physical() const { return dims[physical_position]; }
  S elements() const { return dims.back().front(); }
};
using TiledLayout = SizedLayout<int64_t>;

// The steps of a layout, which do not depend on the sizes of the array.
struct LayoutSteps {
  Dims logical;
  std::vector<Step> steps;
  size_t to_physical = 0;  // so many steps lead to the physical dimensions; more follow
};

// Returns the steps of an array's layout. A bounded dimension counts as its bound. Errors: an
// unbounded dimension, a tuple, token, opaque or buffer.
absl::StatusOr<LayoutSteps> layout_steps(const Shape& shape);

// Returns the bits of one element: E if the layout gives it, else the width of the type.
int64_t bits_of_element(const Shape& array);

// Returns the layout of an array. Pads that add nothing are left out. Errors: those of
// layout_steps, an invalid shape, a size that does not fit int64.
absl::StatusOr<TiledLayout> tiled_layout(const Shape& shape);

// Does the same without checking the shape, which must be valid. Every result of parse_shape is.
absl::StatusOr<TiledLayout> tiled_layout_of_valid(const Shape& shape);

// Returns the content of memory: for each offset in [0, elements), the row-major number of the
// element there, or Array::kPadding.
std::vector<int64_t> buffer(const TiledLayout& layout);

// Returns the offset of the element at a logical index. Fails if the index is outside the array.
absl::StatusOr<int64_t> linearize(const TiledLayout& layout, const std::vector<int64_t>& index);

// Returns the logical index of the element at an offset, or nullopt in padding and in the tail.
// Fails if the offset is outside [0, elements).
absl::StatusOr<std::optional<std::vector<int64_t>>> delinearize(const TiledLayout& layout,
                                                                int64_t offset);

// Linearize and delinearize for any number type, without checks: they apply all steps to an index.
template <class N, class S>
N offset_of(const SizedLayout<S>& layout, std::vector<N> index) {
  for (size_t i = 0; i < layout.steps.size(); ++i) {
    index = forward(layout.steps[i], layout.dims[i], std::move(index));
  }
  return index.front();
}

template <class N, class S>
Preimage<N> preimage_of(const SizedLayout<S>& layout, N offset, Truth<N> exists) {
  Preimage<N> preimage{{std::move(offset)}, exists};
  for (size_t i = layout.steps.size(); i-- > 0;) {
    preimage =
        backward(layout.steps[i], layout.dims[i], std::move(preimage.index), preimage.exists);
  }
  return preimage;
}

// Builds a TiledLayout step by step.
//
// The builder holds the steps so far and the dimensions before and after each. Example: dimensions
// [3,5] and tile (2,2).
//
//     take(Transpose{{0, 1}})     [3,5]
//     take(Pad{0, 2})             [4,5]
//     take(Pad{1, 2})             [4,6]
//     take(Split{0, 2})           [2,2,6]
//     ..
//     mark_physical()             records the dimensions so far as the physical ones
//     combine_all()               [24]
//     finish(32)                  the layout of 32-bit elements, 96 bytes

class LayoutBuilder {
 public:
  explicit LayoutBuilder(Dims logical) {
    layout_.steps.reserve(kUsual);
    layout_.dims.reserve(kUsual + 1);
    layout_.dims.push_back(std::move(logical));
  }

  const Dims& dims() const { return layout_.dims.back(); }
  int64_t rank() const { return static_cast<int64_t>(dims().size()); }

  // Appends the step, but not a Pad that adds nothing. Fails if a size does not fit int64.
  absl::Status take(Step step);

  // Combines all dimensions into one.
  absl::Status combine_all();

  // Records the dimensions so far as the physical dimensions.
  void mark_physical() { layout_.physical_position = layout_.dims.size() - 1; }

  // Returns the layout for elements of `bits` bits. Call combine_all first.
  absl::StatusOr<TiledLayout> finish(int64_t bits) &&;

 private:
  static constexpr size_t kUsual = 16;  // steps to reserve; a layout may have more

  TiledLayout layout_;
};

}  // namespace tileproof::spec

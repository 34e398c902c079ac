// SPDX-License-Identifier: Apache-2.0
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
#pragma once

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/layout/layout_steps.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {

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

// Builds a TiledLayout step by step.
//
// The builder holds the steps so far and the dimensions between them. Example, for dimensions [3,5]
// and tile (2,2):
//
//     take(Transpose{{0, 1}})     [3,5]
//     pad_to_multiple(0, 2)       [4,5]
//     pad_to_multiple(1, 2)       [4,6]
//     take(Split{0, 2})           [2,2,6]
//     ..
//     mark_physical()             records the dimensions so far as the physical ones
//     combine_all()               [24]
//     finish(32)                  the layout, 96 bytes
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

  // Appends the step. Fails if a size does not fit int64.
  absl::Status take(Step step);

  // Pads dimension `at` to a multiple of n >= 1. Appends no step if it is one already.
  absl::Status pad_to_multiple(int64_t at, int64_t n);

  // Combines all dimensions into one.
  absl::Status combine_all();

  // The dimensions so far are the physical dimensions.
  void mark_physical() { layout_.physical_position = layout_.dims.size() - 1; }

  // Returns the layout for elements of `bits` bits. Requires combine_all before.
  absl::StatusOr<TiledLayout> finish(int64_t bits) &&;

 private:
  static constexpr size_t kUsual = 16;  // steps to reserve; a layout may have more

  TiledLayout layout_;
};

}  // namespace tileproof::spec

// The way of an array into memory while it is laid out: the steps so far, and the dimensions
// between them.
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

  absl::Status take(Step step);

  // Pads dimension `at` to a multiple of n >= 1; no step where it is one.
  absl::Status pad_to_multiple(int64_t at, int64_t n);

  // All dimensions become one.
  absl::Status combine_all();

  void mark_physical() { layout_.physical_position = layout_.dims.size() - 1; }

  // The layout, of elements of so many bits. All dimensions have been combined.
  absl::StatusOr<TiledLayout> finish(int64_t bits) &&;

 private:
  static constexpr size_t kUsual = 16;  // steps; a layout may have more

  TiledLayout layout_;
};

}  // namespace tileproof::spec

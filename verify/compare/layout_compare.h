// SPDX-License-Identifier: Apache-2.0
// Compares layouts of the reference and the closed form. Every test, campaign and proof of layouts
// uses this comparison.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::verify {

// What was compared. A difference is an error status; its message (the shape, the question, both
// answers) can be pasted back.
struct LayoutComparison {
  int64_t layouts = 0;
  int64_t refused = 0;  // shapes that both refuse: too large, or without offsets
  int64_t indices = 0;
  int64_t padding = 0;  // offsets of padding

  LayoutComparison& operator+=(const LayoutComparison& other);
};
std::string to_text(const LayoutComparison& compared);

// Compares the sizes, the element or padding at every offset of the buffer, and each element's
// offset, using the arrays of the reference. If the buffer or the array has more than
// `max_positions` positions, compares at `samples` points instead.
absl::StatusOr<LayoutComparison> compare_whole(const Shape& shape, int64_t max_positions,
                                               int64_t samples, Choose& choose);

// Compares at `samples` random indices and `samples` random offsets; applies the reference's steps
// to one index at a time.
absl::StatusOr<LayoutComparison> compare_sampled(const Shape& shape, int64_t samples,
                                                 Choose& choose);

}  // namespace tileproof::verify

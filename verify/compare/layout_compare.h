// Reference against closed form, for layouts: the one comparison that every test, campaign and
// proof of layouts uses.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::verify {

// What was compared; a difference is an error status whose message can be pasted back: the shape,
// the question, both answers.
struct LayoutComparison {
  int64_t layouts = 0;
  int64_t refused = 0;  // both refuse the shape: too large, or without offsets
  int64_t indices = 0;
  int64_t padding = 0;  // offsets that hold no element

  LayoutComparison& operator+=(const LayoutComparison& other);
};
std::string to_text(const LayoutComparison& compared);

// Every offset of the buffer, by the arrays of the reference: the element or padding there, and
// each element's offset. Sizes too. For buffers and arrays of up to `max_positions` places; larger
// ones are compared at `samples` points instead.
absl::StatusOr<LayoutComparison> compare_whole(const Shape& shape, int64_t max_positions,
                                               int64_t samples, Choose& choose);

// At `samples` random indices and as many offsets, by the steps of the reference on an index.
absl::StatusOr<LayoutComparison> compare_sampled(const Shape& shape, int64_t samples,
                                                 Choose& choose);

}  // namespace tileproof::verify

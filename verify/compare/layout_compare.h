// SPDX-License-Identifier: Apache-2.0
// Compares layouts of the reference and the closed form. Every test, campaign and proof of layouts
// uses this comparison.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/shape.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// Each counts "layouts", "indices" and "padding", or "refused": both refuse the shape, as it is too
// large or has no offsets. A difference is an error status; its message (the shape, the question, both
// answers) can be pasted back.

// Compares the sizes, the element or padding at every offset of the buffer, and each element's
// offset, using the arrays of the reference. If the buffer or the array has more than
// `max_positions` positions, compares at `samples` points instead.
absl::Status compare_whole(const Shape& shape, int64_t max_positions, int64_t samples,
                           Choose& choose, CaseCounts& tally);

// Compares at `samples` random indices and `samples` random offsets; applies the reference's steps
// to one index at a time.
absl::Status compare_sampled(const Shape& shape, int64_t samples, Choose& choose,
                             CaseCounts& tally);

}  // namespace tileproof::verify

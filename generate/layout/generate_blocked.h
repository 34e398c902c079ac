// Generators of blocked formats of oneDNN on arrays, and of layouts of any system.
//
// They promise: what they make is valid. They lean towards what breaks formulas: blocks that do not
// divide the array, that exceed it, of size 1, several of one dimension in any order among others.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof {

// A format of up to five dimensions and four blocks; sizes share the bits of `magnitude`.
BlockedShape random_blocked_shape(Choose& choose, int64_t magnitude);

// A layout of any system; `magnitude` bounds its elements, roughly.
AnyLayout random_any_layout(Choose& choose, int64_t magnitude);

// The one that these choices make, small or large.
AnyLayout layout_of_choices(absl::Span<const uint8_t> bytes);

}  // namespace tileproof

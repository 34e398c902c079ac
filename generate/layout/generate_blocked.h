// SPDX-License-Identifier: Apache-2.0
// Generators of blocked formats of oneDNN on arrays, and of layouts of any system.
//
// Every result is valid. The generators favor what breaks formulas: blocks of size 1, blocks that
// do not divide the array or exceed it, and several blocks of one dimension between those of
// others.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof {

// Returns a format of up to five dimensions and four blocks. The product of the sizes is at most
// about `magnitude`.
BlockedShape random_blocked_shape(Choose& choose, int64_t magnitude);

// Returns a layout of any system with at most about `magnitude` elements.
AnyLayout random_any_layout(Choose& choose, int64_t magnitude);

// Returns the layout that a fuzzer's bytes choose, small or large.
AnyLayout layout_of_choices(absl::Span<const uint8_t> bytes);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Generators of blocked formats of oneDNN on arrays, and of layouts of any system.
//
// Every result is valid. The generators favor what breaks formulas: blocks of size 1, blocks that
// do not divide the array or exceed it, and several blocks of one dimension between those of
// others.
#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/map/memref_text.h"

namespace tileproof {

// Returns a format of up to five dimensions and four blocks. The product of the sizes is at most
// about `magnitude`.
BlockedShape random_blocked_shape(Choose& choose, int64_t magnitude);

// Returns a layout of any system with at most about `magnitude` elements.
AnyLayout random_any_layout(Choose& choose, int64_t magnitude);

// Returns the layout that a fuzzer's bytes choose, small or large.
AnyLayout layout_of_choices(absl::Span<const uint8_t> bytes);

// Generators of swizzled layouts and memrefs.

// A valid swizzle: mostly of few bits near the low end, sometimes of any.
Swizzle random_swizzle(Choose& choose);

// A layout of at most `magnitude` coordinates with strides of at least 0, mostly compact.
SwizzledLayout random_swizzled_layout(Choose& choose, int64_t magnitude);

// A memref of about `magnitude` elements: row-major, strided, or with a layout map of tiles.
MemRef random_memref(Choose& choose, int64_t magnitude);

// Generators of layouts of threads, as text.

// A tensor of at most a few thousand elements with a layout that is mostly valid: linear, blocked,
// a fragment, or a slice of one, with tiles that wrap, repeat, or fit; or one of CuTe or Mosaic GPU.
std::string random_thread_layout(Choose& choose);

}  // namespace tileproof

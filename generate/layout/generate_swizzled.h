// SPDX-License-Identifier: Apache-2.0
// Generators of swizzled layouts and memrefs.
#pragma once

#include <cstdint>
#include <string>

#include "generate/choose/choose.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/map/memref_text.h"

namespace tileproof {

// A valid swizzle: mostly of few bits near the low end, sometimes of any.
Swizzle random_swizzle(Choose& choose);

// A layout of at most `magnitude` coordinates with strides of at least 0, mostly compact.
SwizzledLayout random_swizzled_layout(Choose& choose, int64_t magnitude);

// A memref of about `magnitude` elements: row-major, strided, or with a layout map of tiles.
MemRef random_memref(Choose& choose, int64_t magnitude);

}  // namespace tileproof

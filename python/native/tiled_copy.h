// SPDX-License-Identifier: Apache-2.0
// Copies arrays between their rows and their memory in a layout.
//
//     tile    f32[3,5] in rows -> 24 elements in the order of {1,0:T(2,2)}
//     untile  the inverse
//
// The array may have any strides; the memory is contiguous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "python/native/compiled_layout.h"

namespace tileproof::python {

// An array of the layout's dimensions. Strides are in bytes.
struct StridedArray {
  char* data;
  std::vector<int64_t> strides;
  size_t element_bytes;  // 1, 2, 4, 8 or 16
};

// Copies each element of the array to its offset in `memory`. The offsets of padding are not
// written. Errors: offsets beyond int64.
absl::Status tile(const CompiledLayout& layout, const StridedArray& array, char* memory);

// Copies each element from its offset in `memory` to the array.
absl::Status untile(const CompiledLayout& layout, const StridedArray& array, const char* memory);

}  // namespace tileproof::python

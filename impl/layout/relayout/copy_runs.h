// SPDX-License-Identifier: Apache-2.0
// Loops around copies of runs of bytes. Short runs cost less without a call for each of them.
//
//     for k in [0, 8): for l in [0, 2): copy 512 bytes from source + k * 1024 + l * 512
//                                                        to destination + k * 512 + l * 4096
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tileproof::impl {

// Strides are in bytes.
struct RunLoop {
  int64_t count = 1;
  int64_t source_stride = 0;
  int64_t destination_stride = 0;
};

// Copies a run of `bytes` bytes for each value of the counters of all loops, the first loop
// outermost. `streams` is that of copy_run (impl/layout/relayout/copy_kernels.h).
void copy_runs(absl::Span<const RunLoop> loops, const char* source, char* destination, size_t bytes,
               bool streams);

}  // namespace tileproof::impl

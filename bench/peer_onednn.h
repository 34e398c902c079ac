// SPDX-License-Identifier: Apache-2.0
// oneDNN's reorder of a matrix from rows into blocks of 16 x 16: `ab` to `AB16b16a`, which it writes with
// the columns of a block side by side.
#pragma once

#include <cstdint>
#include <functional>

namespace tileproof {

std::function<void()> onednn_reorder(int64_t rows, int64_t columns, float* source,
                                     float* destination);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// The innermost loops of a relayout: copies of runs, and transposes of small matrices.
//
// Addresses are in bytes, elements are of 1, 2, 4, 8 or 16 bytes, and nothing need be aligned. A
// matrix has A columns that are neighbors in the destination, and B rows that are neighbors in the
// source:
//
//     destination[b * A + a] = source[a * B + b]        at the simplest
#pragma once

#include <cstddef>
#include <cstdint>

namespace tileproof::impl {

// What to do with a whole matrix. Strides and counts are in elements.
struct MatrixCopy {
  int64_t a = 1;                   // columns: stride 1 in the destination
  int64_t b = 1;                   // rows: stride 1 in the source
  int64_t source_stride = 0;       // between columns
  int64_t destination_stride = 0;  // between rows
};

// Copies bytes. `streams` writes past the cache, for destinations that do not fit it; the caller
// ends such copies with finish_streams().
void copy_run(const char* source, char* destination, size_t bytes, bool streams);
void finish_streams();

// Copies a matrix of elements of this width.
using CopyMatrix = void (*)(const MatrixCopy& copy, const char* source, char* destination,
                            bool streams);
CopyMatrix copy_matrix_of(size_t element_bytes);

// Copies `count` elements with any strides, in elements.
using CopyStrided = void (*)(int64_t count, int64_t source_stride, int64_t destination_stride,
                             const char* source, char* destination);
CopyStrided copy_strided_of(size_t element_bytes);

}  // namespace tileproof::impl

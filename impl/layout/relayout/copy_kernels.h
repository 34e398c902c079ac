// SPDX-License-Identifier: Apache-2.0
// The innermost loops of a relayout: copies of runs, loops around them, and transposes of small
// matrices.
//
// Addresses are in bytes, elements are of 1, 2, 4, 8 or 16 bytes, and nothing need be aligned. A
// matrix has A columns that are neighbors in the destination, and B rows that are neighbors in the
// source:
//
//     destination[b * A + a] = source[a * B + b]        at the simplest
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

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

// Short runs cost less without a call for each of them.
//
//     for k in [0, 8): for l in [0, 2): copy 512 bytes from source + k * 1024 + l * 512
//                                                        to destination + k * 512 + l * 4096
struct RunLoop {
  int64_t count = 1;
  int64_t source_stride = 0;  // in bytes
  int64_t destination_stride = 0;
};

// Copies a run of `bytes` bytes for each value of the counters of all loops, the first loop
// outermost.
void copy_runs(absl::Span<const RunLoop> loops, const char* source, char* destination, size_t bytes,
               bool streams);

// Copies a matrix.
using CopyMatrix = void (*)(const MatrixCopy& copy, const char* source, char* destination,
                            bool streams);

// Copies `count` elements with any strides, in elements.
using CopyStrided = void (*)(int64_t count, int64_t source_stride, int64_t destination_stride,
                             const char* source, char* destination);

// The copies of elements of this width.
struct CopyKernels {
  CopyMatrix matrix;
  CopyStrided strided;
};
CopyKernels copy_kernels_of(size_t element_bytes);

// Elements of 1, 2 or 4 bits: one a byte, and packed.
//
// The first element is in the low bits of the first byte, as XLA has it. With 4 bits:
//
//     elements 1 2 3      bytes 0x21 0x03

// `packed` has ceil(elements * bits / 8) bytes, which are overwritten. Only the low bits of an
// element are read.
void pack_bits(absl::Span<const uint8_t> elements, int bits, absl::Span<uint8_t> packed);

// The inverse. The high bits of an element repeat its sign if `is_signed`, and are 0 otherwise.
void unpack_bits(absl::Span<const uint8_t> packed, int bits, bool is_signed,
                 absl::Span<uint8_t> elements);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Copies an array from one layout into another: planned once, run often.
//
// Both layouts are sums of digits (impl/layout/digit_layout.h). The digits of both, refined until
// they agree, are the loops of the copy: each adds a stride to the source and one to the
// destination. The innermost loops are a kernel (impl/layout/relayout/copy_kernels.h):
//
//     run        one loop has stride 1 on both sides: its elements are copied at once
//     matrix     one loop has stride 1 in the source, another one in the destination: a transpose,
//                or an interleaving of a few rows
//     strided    neither
//     elements   a tile cuts through digits, or there is a swizzle, so there are no loops: each
//                offset is computed, or taken from a table
//
// A swizzle of a whole array is a pass of its own over the memory, as it moves groups of elements:
// the loops copy between the layouts without their swizzles.
//
//     f32[16,256]{1,0} to f32[16,256]{1,0:T(8,128)}
//     for d0 floordiv 8 in [0, 1]: source + 2048, destination + 2048
//       for d0 mod 8 in [0, 7]: source + 256, destination + 128
//         for d1 floordiv 128 in [0, 1]: source + 128, destination + 1024
//           copy runs of 128 elements
//
// If tiles do not divide a dimension, its loops reach beyond it. Then the last of them has a guard,
// on the index that the loops of the dimension add up to:
//
//     f32[4,5]{1,0:T(2,2)} to f32[4,5]{1,0}
//     for d0 floordiv 2 in [0, 1]: source + 12, destination + 10
//       for d1 floordiv 2 in [0, 2]: source + 4, destination + 2
//         for d0 mod 2 in [0, 1]: source + 2, destination + 5
//           copy runs of 2 elements, where d1 in [0, 4]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/lang/map/interval.h"

namespace tileproof::impl {

// The offsets of all elements, row-major: of a memref whose offset is no sum of digits.
struct OffsetTable {
  std::vector<int64_t> dims, offsets;

  int64_t at(absl::Span<const int64_t> index) const;
};

// A layout as a side of a copy: the offset is swizzled_word(words, start + offset by `layout`).
struct RelayoutSide {
  std::variant<DigitLayout, TiledLayout, OffsetTable> layout;
  int64_t elements = 0;   // of the buffer, with all padding
  bool has_gaps = false;  // offsets of no coordinate: strides of memrefs and NESTED jump over them
  int64_t start = 0;
  SwizzleWords words;

  const std::vector<int64_t>& dims() const;
};

// The offset of an index of the array.
int64_t offset_at(const RelayoutSide& side, absl::Span<const int64_t> index);

// A NESTED or SWIZZLED is taken as that of an array with these dimensions, which pads to its modes
// (spec/layout/layout_function.h); without them, as that of its modes.
// Errors: those of the layout; no array; a NESTED with negative strides.
absl::StatusOr<RelayoutSide> relayout_side(const AnyLayout& layout,
                                           const std::vector<int64_t>& dims);
absl::StatusOr<RelayoutSide> relayout_side(const AnyLayout& layout);

// An array with strides, in elements, as NumPy and PyTorch have it. Any strides are valid for a
// source.
RelayoutSide strided_side(std::vector<int64_t> dims, absl::Span<const int64_t> strides);

struct RelayoutOptions {
  int element_bits = 32;  // 1, 2, 4, 8, 16, 32, 64 or 128

  // Elements of 1, 2 or 4 bits: several a byte, the first one in the low bits. Otherwise one a
  // byte.
  bool source_is_packed = false;
  bool destination_is_packed = false;

  // What to write to offsets of the destination that hold no element: padding, and gaps if it has
  // any.
  enum class Padding { kKeep, kZero, kFill };
  Padding padding = Padding::kKeep;
  std::array<char, 16> fill = {};  // kFill: the first bytes of it are an element

  // The box of the array to copy; empty: all of it. Offsets are those of the whole array. Padding
  // is kept.
  std::vector<int64_t> begin, sizes;

  static constexpr int kMaxThreads = 256;
  int threads = 1;
};

// One loop: (index of the dimension floordiv weight) mod size. Strides are in elements.
struct RelayoutLoop {
  int64_t dimension = 0;
  int64_t weight = 1;
  int64_t size = 1;
  int64_t source_stride = 0;
  int64_t destination_stride = 0;

  bool operator==(const RelayoutLoop&) const = default;
};

class RelayoutPlan {
 public:
  enum class Kernel { kNothing, kRun, kMatrix, kStrided, kElements };

  // Errors: sides of different dimensions; a destination in which elements share an offset, or may
  // do so (strides such as [2, 3], and more than 2^20 elements); a box that is not in the array;
  // other widths; packed elements of 8 bits and more; 2^63 bytes; threads not in [1, kMaxThreads].
  static absl::StatusOr<RelayoutPlan> create(const RelayoutSide& from, const RelayoutSide& to,
                                             const RelayoutOptions& options);

  // Copies. The buffers hold `source_bytes` and `destination_bytes` and do not overlap.
  void run(const void* source, void* destination) const;
  int64_t source_bytes() const;
  int64_t destination_bytes() const;

  // The loops and the kernel, as above. Adding up the counters of all loops, where the guards hold,
  // gives the offsets that `run` copies.
  std::string to_text() const;

  Kernel kernel() const { return kernel_; }
  // All loops, outermost first; the last ones belong to the kernel: those of a run, the loops of a
  // matrix (stride 1 in the destination, then in the source), or one. Empty for kElements.
  const std::vector<RelayoutLoop>& loops() const { return loops_; }
  // By dimension: the indices that are copied. Loops may reach beyond them.
  std::vector<tileproof::Interval> bounds() const;
  int64_t source_start() const { return source_start_; }  // where the loops begin
  int64_t destination_start() const { return destination_start_; }
  bool fills() const;          // writes the whole destination first
  int64_t run_length() const;  // elements side by side in source and destination: of kRun; else 1
  int64_t moves() const;       // elements that are copied

  // What the loops do, as maps of their counters: the index, the source's offset, the destination's
  // offset. The copy is right if the offsets are those of the layouts at the index:
  //
  //     source = (offset of `from`) o index      destination = (offset of `to`) o index
  struct Maps {
    IndexingMap index, source, destination;
  };
  Maps maps() const;

 private:
  struct Interval {
    int64_t low, high;  // `high` excluded
  };
  class Run;

  absl::Status set_box(const RelayoutOptions& options);
  void choose_loops(const DigitLayout& from, const DigitLayout& to);
  void choose_kernel(std::vector<RelayoutLoop> loops);
  void order_outer(std::vector<RelayoutLoop> outer, std::vector<RelayoutLoop> inner);
  bool is_minor_most(const RelayoutLoop& loop, const std::vector<RelayoutLoop>& loops) const;
  std::string guard(size_t loop) const;
  void write_padding(char* destination) const;
  void copy_bytes(const char* source, char* destination) const;
  void copy_elements(const char* source, char* destination) const;
  bool copy_without_swizzles(const char* source, char* destination) const;
  void copy_part(const char* source, char* destination, int64_t part, int64_t parts) const;

  RelayoutOptions options_;
  std::vector<int64_t> dims_;
  std::vector<Interval> box_;
  std::vector<bool> is_exact_;  // by dimension: all values of the loops are indices of the box
  bool is_empty_ = false;
  bool has_padding_ = false;
  int64_t source_elements_ = 0, destination_elements_ = 0;
  int64_t source_start_ = 0, destination_start_ = 0;  // of loops
  Kernel kernel_ = Kernel::kNothing;
  std::vector<RelayoutLoop> loops_;
  size_t inner_ = 0;                               // the last loops belong to the kernel
  std::shared_ptr<const RelayoutSide> from_, to_;  // kElements
  std::shared_ptr<const RelayoutPlan> plain_;      // of a whole array: without the swizzles
};

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// The attributes of HLO instructions that decide shapes and dataflow, as values.
//
// A module keeps attributes as text (spec/lang/hlo/hlo.h). The functions below read that text:
//
//     slice={[2:8:3], [0:4]}                 slice_of:   {2, 8, 3}, {0, 4, 1}
//     padding=0_0x-1_0_2                     padding_of: {0, 0, 0}, {-1, 0, 2}
//     window={size=3x1 pad=1_1x0_0}          window_of:  {size 3, pad 1 and 1}, {size 1}
//     dim_labels=b01f_01io->bf01             dim_labels_of
//
// An optional field that is missing has its neutral value: stride and dilation 1, padding 0, no
// reversal, an empty list. These functions refuse what no shape could make valid: a stride below 1,
// a repeated label, lists of different lengths that belong together. Callers who know the shapes
// check the rest: that a dimension is below the rank, that a slice is inside the array.
//
// Errors name the instruction, the attribute and the column in its text: "pad.1: padding: column 3:
// expected ..". Source: XLA's HLO parser.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/device_groups.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// Elements start, start + stride, .. below limit.
struct SliceLimits {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;

  bool operator==(const SliceLimits&) const = default;
};

// Elements added before, after, and between each two. Negative `low` and `high` remove elements.
struct PadLimits {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;

  bool operator==(const PadLimits&) const = default;
};

// One dimension of the window of a convolution, reduce-window or select-and-scatter. The operand is
// dilated by lhs_dilate (lhs_dilate - 1 holes between neighboring elements), then padded. The
// window has `size` elements, rhs_dilate apart, and moves over the operand by `stride`.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t pad_low = 0;
  int64_t pad_high = 0;
  int64_t lhs_dilate = 1;
  int64_t rhs_dilate = 1;
  bool rhs_reversal = false;

  bool operator==(const WindowDimension&) const = default;
};

// `b01f_01io->b01f`: the dimension numbers of the batch, of the features, and of each spatial
// dimension. The label `?` is a dimension without a role; ranks count it.
struct ConvolutionDimensionNumbers {
  int64_t input_batch = 0;    // b
  int64_t input_feature = 0;  // f
  std::vector<int64_t> input_spatial;
  int64_t input_rank = 0;
  int64_t kernel_input_feature = 0;   // i
  int64_t kernel_output_feature = 0;  // o
  std::vector<int64_t> kernel_spatial;
  int64_t kernel_rank = 0;
  int64_t output_batch = 0;
  int64_t output_feature = 0;
  std::vector<int64_t> output_spatial;
  int64_t output_rank = 0;

  bool operator==(const ConvolutionDimensionNumbers&) const = default;
};

// lhs_batch[i] and rhs_batch[i] are one dimension of the result; lhs_contracting[i] and
// rhs_contracting[i] are summed over together.
struct DotDimensionNumbers {
  std::vector<int64_t> lhs_batch;
  std::vector<int64_t> rhs_batch;
  std::vector<int64_t> lhs_contracting;
  std::vector<int64_t> rhs_contracting;

  bool operator==(const DotDimensionNumbers&) const = default;
};

// Of gather and scatter, under one name for both (op::IndexedWindows in spec/lang/hlo/checked_op.h):
//
//                       gather                          scatter
//     window_dims       offset_dims                     update_window_dims
//     collapsed         collapsed_slice_dims            inserted_window_dims
//     start_map         start_index_map                 scatter_dims_to_operand_dims
//     array_batching    operand_batching_dims           input_batching_dims
//     indices_batching  start_indices_batching_dims     scatter_indices_batching_dims
struct IndexedDimensionNumbers {
  std::vector<int64_t> window_dims;       // of the windows, ascending
  std::vector<int64_t> collapsed;         // of the array: dimensions that windows do not have
  std::vector<int64_t> start_map;         // of the array: component k is of dimension start_map[k]
  std::vector<int64_t> array_batching;    // of the array
  std::vector<int64_t> indices_batching;  // of the indices: as many, of the same sizes
  int64_t index_vector_dim = 0;           // the rank of the indices: each index is a scalar

  bool operator==(const IndexedDimensionNumbers&) const = default;
};

// One attribute of an instruction. If it is missing: `otherwise`, or an error without `otherwise`.
// Dimension numbers and sizes are never negative.
absl::StatusOr<int64_t> integer_of(const HloInstruction& instruction, absl::string_view name,
                                   std::optional<int64_t> otherwise = std::nullopt);
absl::StatusOr<std::vector<int64_t>> integers_of(const HloInstruction& instruction,
                                                 absl::string_view name);
absl::StatusOr<std::vector<int64_t>> integers_of(const HloInstruction& instruction,
                                                 absl::string_view name,
                                                 std::vector<int64_t> otherwise);

// All attributes of one kind of instruction. Replica groups, and the window of a scalar, may be
// missing; they are then empty. (The `dimensions` of a broadcast of a scalar may be missing, too:
// call integers_of with {}.)
absl::StatusOr<std::vector<SliceLimits>> slice_of(const HloInstruction& slice);
absl::StatusOr<std::vector<PadLimits>> padding_of(const HloInstruction& pad);
absl::StatusOr<std::vector<WindowDimension>> window_of(const HloInstruction& instruction);
absl::StatusOr<ConvolutionDimensionNumbers> dim_labels_of(const HloInstruction& convolution);
absl::StatusOr<ReplicaGroups> replica_groups_of(const HloInstruction& collective);
absl::StatusOr<DotDimensionNumbers> dot_numbers_of(const HloInstruction& dot);
absl::StatusOr<IndexedDimensionNumbers> gather_numbers_of(const HloInstruction& gather);
absl::StatusOr<IndexedDimensionNumbers> scatter_numbers_of(const HloInstruction& scatter);

}  // namespace tileproof

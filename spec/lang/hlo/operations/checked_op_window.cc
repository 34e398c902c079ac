// SPDX-License-Identifier: Apache-2.0
// Operations with windows: reduce-window, convolution, select-and-scatter.
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"

namespace tileproof::check {
namespace {

// One window dimension for each dimension of the array. A window may be left out: its size is 1.
absl::StatusOr<std::vector<WindowDimension>> whole_window(const Instruction& in, int64_t rank) {
  std::vector<WindowDimension> window = TRY(window_of(in.instruction));
  if (window.empty()) window.resize(static_cast<size_t>(rank));
  if (std::ssize(window) == rank) return window;
  return expected(in, "a window of ", count_text(rank, "dimension"), ", found ", window.size());
}

absl::StatusOr<int64_t> positions_of(const Instruction& in, const WindowDimension& w,
                                     int64_t size) {
  const std::optional<int64_t> positions = window_positions(w, size);
  if (!positions) return expected(in, "a dilated and padded size that fits 63 bits");
  return *positions;
}

absl::StatusOr<Dims> windowed_dims(const Instruction& in,
                                   const std::vector<WindowDimension>& window, const Dims& dims) {
  Dims positions;
  for (size_t d = 0; d < dims.size(); ++d) {
    positions.push_back(TRY(positions_of(in, window[d], dims[d])));
  }
  return positions;
}

}  // namespace

absl::StatusOr<op::Any> reduce_window(const Instruction& in) {
  op::ReduceWindow r;
  r.inputs = TRY(inputs_and_inits(in));
  r.operand = TRY(array_dims(in, 0));
  r.window = TRY(whole_window(in, std::ssize(r.operand)));
  r.result = TRY(windowed_dims(in, r.window, r.operand));
  TRY(expect_parts(in, r.result));
  return r;
}

namespace {

absl::StatusOr<op::Convolution> convolution_of(const Instruction& in) {
  TRY(expect_operands(in, 2, 2));
  op::Convolution c;
  c.input = TRY(array_dims(in, 0));
  c.kernel = TRY(array_dims(in, 1));
  c.result = TRY(result_dims(in));
  c.numbers = TRY(dim_labels_of(in.instruction));
  c.window = TRY(whole_window(in, std::ssize(c.numbers.input_spatial)));
  c.feature_groups = TRY(integer_of(in.instruction, "feature_group_count", 1));
  c.batch_groups = TRY(integer_of(in.instruction, "batch_group_count", 1));
  return c;
}

// Every dimension has a label, and every label a dimension.
absl::Status expect_ranks(const Instruction& in, const op::Convolution& c) {
  const int64_t rank = 2 + std::ssize(c.window);
  const ConvolutionDimensionNumbers& n = c.numbers;
  for (const int64_t labels : {n.input_rank, n.kernel_rank, n.output_rank}) {
    if (labels != rank) return expected(in, rank, " labels in each of dim_labels, found ", labels);
  }
  for (const Dims* dims : {&c.input, &c.kernel, &c.result}) {
    if (std::ssize(*dims) != rank) {
      return expected(in, "arrays of rank ", rank, " as in dim_labels, found ", dims_text(*dims));
    }
  }
  return absl::OkStatus();
}

absl::Status expect_size(const Instruction& in, absl::string_view what, int64_t size,
                         int64_t found) {
  if (size == found) return absl::OkStatus();
  return expected(in, size, " ", what, ", found ", found);
}

absl::Status expect_groups(const Instruction& in, absl::string_view what, int64_t groups,
                           absl::string_view of, int64_t size) {
  if (size % groups == 0) return absl::OkStatus();
  return expected(in, what, " ", groups, " to divide the number of ", of, ", found ", size);
}

absl::Status expect_features_and_batches(const Instruction& in, const op::Convolution& c) {
  const ConvolutionDimensionNumbers& n = c.numbers;
  if (c.feature_groups < 1 || c.batch_groups < 1) {
    return expected(in, "feature_group_count and batch_group_count of at least 1, found ",
                    c.feature_groups, " and ", c.batch_groups);
  }
  if (c.feature_groups > 1 && c.batch_groups > 1) {
    return expected(in, "feature_group_count or batch_group_count to be 1, found ",
                    c.feature_groups, " and ", c.batch_groups);
  }
  const int64_t features = c.input[n.input_feature], batches = c.input[n.input_batch];
  const int64_t outputs = c.result[n.output_feature];
  const absl::string_view feature_groups = "feature_group_count",
                          batch_groups = "batch_group_count";
  TRY(expect_groups(in, feature_groups, c.feature_groups, "input features", features));
  TRY(expect_groups(in, feature_groups, c.feature_groups, "output features", outputs));
  TRY(expect_groups(in, batch_groups, c.batch_groups, "batches", batches));
  TRY(expect_groups(in, batch_groups, c.batch_groups, "output features", outputs));
  TRY(expect_size(in, "input features of the kernel", features / c.feature_groups,
                  c.kernel[n.kernel_input_feature]));
  TRY(expect_size(in, "output features of the kernel", outputs, c.kernel[n.kernel_output_feature]));
  return expect_size(in, "batches of the result", batches / c.batch_groups,
                     c.result[n.output_batch]);
}

absl::Status expect_windows(const Instruction& in, const op::Convolution& c) {
  const ConvolutionDimensionNumbers& n = c.numbers;
  for (size_t k = 0; k < c.window.size(); ++k) {
    TRY(expect_size(in, absl::StrCat("kernel elements in spatial dimension ", k), c.window[k].size,
                    c.kernel[n.kernel_spatial[k]]));
    const int64_t positions = TRY(positions_of(in, c.window[k], c.input[n.input_spatial[k]]));
    TRY(expect_size(in, absl::StrCat("result elements in spatial dimension ", k), positions,
                    c.result[n.output_spatial[k]]));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<op::Any> convolution(const Instruction& in) {
  op::Convolution c = TRY(convolution_of(in));
  TRY(expect_ranks(in, c));
  TRY(expect_features_and_batches(in, c));
  TRY(expect_windows(in, c));
  return c;
}

absl::StatusOr<op::Any> select_and_scatter(const Instruction& in) {
  TRY(expect_operands(in, 3, 3));
  op::SelectAndScatter s;
  s.operand = TRY(result_dims(in));
  TRY(expect_operand(in, 0, s.operand));
  s.window = TRY(whole_window(in, std::ssize(s.operand)));
  for (const WindowDimension& w : s.window) {
    if (w.lhs_dilate != 1) return expected(in, "a window without lhs_dilate, found ", w.lhs_dilate);
  }
  s.source = TRY(windowed_dims(in, s.window, s.operand));
  TRY(expect_operand(in, 1, s.source));
  TRY(expect_operand(in, 2, {}));
  TRY(expect_predicate_on_scalars(in, "select", 2));
  TRY(expect_on_scalars(in, "scatter", 2, 1));
  return s;
}

}  // namespace tileproof::check

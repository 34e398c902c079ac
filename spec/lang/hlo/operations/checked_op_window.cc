// SPDX-License-Identifier: Apache-2.0
// Operations with windows: reduce-window, convolution, select-and-scatter.

#include <algorithm>
#include <utility>

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

// Operations that run along whole dimensions: dot, reduce, sort, topk.

namespace {

absl::Status expect_equal_sizes(const Instruction& in, absl::string_view what, const Dims& lhs,
                                const Dims& rhs) {
  if (lhs == rhs) return absl::OkStatus();
  return expected(in, what, " dimensions of equal sizes, found ", dims_text(lhs), " and ",
                  dims_text(rhs));
}

}  // namespace

absl::StatusOr<op::Any> dot(const Instruction& in) {
  TRY(expect_operands(in, 2, 2));
  op::Dot d;
  d.lhs = TRY(array_dims(in, 0));
  d.rhs = TRY(array_dims(in, 1));
  d.numbers = TRY(dot_numbers_of(in.instruction));
  const DotDimensionNumbers& n = d.numbers;
  const int64_t lhs_rank = std::ssize(d.lhs), rhs_rank = std::ssize(d.rhs);
  TRY(expect_dimensions(in, "batch and contracting dimensions of operand 0",
                        joined(n.lhs_batch, n.lhs_contracting), lhs_rank));
  TRY(expect_dimensions(in, "batch and contracting dimensions of operand 1",
                        joined(n.rhs_batch, n.rhs_contracting), rhs_rank));
  TRY(expect_equal_sizes(in, "batch", selected(d.lhs, n.lhs_batch), selected(d.rhs, n.rhs_batch)));
  TRY(expect_equal_sizes(in, "contracting", selected(d.lhs, n.lhs_contracting),
                         selected(d.rhs, n.rhs_contracting)));
  d.lhs_free = others(lhs_rank, n.lhs_batch, n.lhs_contracting);
  d.rhs_free = others(rhs_rank, n.rhs_batch, n.rhs_contracting);
  d.result = dot_dimensions(d.lhs, d.rhs, n);
  TRY(expect_result(in, d.result));
  return d;
}

absl::StatusOr<op::Any> reduce(const Instruction& in) {
  op::Reduce r;
  r.inputs = TRY(inputs_and_inits(in));
  r.operand = TRY(array_dims(in, 0));
  r.dimensions = TRY(dimensions_unless_scalar(in, r.operand));
  TRY(expect_dimensions(in, "dimensions", r.dimensions, std::ssize(r.operand)));
  std::ranges::sort(r.dimensions);
  r.kept = others(std::ssize(r.operand), r.dimensions);
  r.result = selected(r.operand, r.kept);
  TRY(expect_parts(in, r.result));
  return r;
}

absl::StatusOr<op::Any> sort(const Instruction& in) {
  if (in.operands.size() != in.result.size()) {
    return expected(in, "a part of the result for each operand, found ",
                    count_text(std::ssize(in.result), "part"), " and ",
                    count_text(in.operand_count(), "operand"));
  }
  op::Sort s;
  s.operands = static_cast<int32_t>(in.operand_count());
  TRY(expect_predicate_on_scalars(in, "to_apply", 2 * in.operand_count()));
  s.dims = TRY(array_dims(in, 0));
  for (int64_t k = 1; k < in.operand_count(); ++k) TRY(expect_operand(in, k, s.dims));
  if (!s.dims.empty()) s.dimension = TRY(one_dimension(in, std::ssize(s.dims)));
  TRY(expect_parts(in, s.dims));
  return s;
}

absl::StatusOr<op::Any> topk(const Instruction& in) {
  op::TopK t;
  t.operand = TRY(only_operand(in));
  if (t.operand.empty())
    return expected(in, "an operand with at least 1 dimension, found a scalar");
  if (in.result.size() != 2) {
    return expected(in, "2 parts of the result, found ", in.result.size());
  }
  const int64_t k = TRY(integer_of(in.instruction, "k"));
  if (k > t.operand.back()) return expected(in, "k of at most ", t.operand.back(), ", found ", k);
  Dims fits = t.operand;
  fits.back() = k;
  TRY(expect_parts(in, fits));
  return t;
}

// What each step computes is not followed.
absl::StatusOr<op::Any> scan(const Instruction& in) {
  TRY(expect_operands(in, 1, INT64_MAX));
  TRY(one_dimension(in, std::ssize(TRY(array_dims(in, 0)))));
  return opaque(in);
}

// Operations with offsets, and with tables of indices: dynamic-slice, dynamic-update-slice, gather,
// scatter.

namespace {

// The operands from `first` on: one scalar for each dimension, or one vector.
absl::StatusOr<op::Offsets> offsets_from(const Instruction& in, int32_t first, int64_t rank) {
  op::Offsets offsets{.first = first};
  offsets.count = static_cast<int32_t>(in.operand_count()) - first;
  const Dims vector = {rank};
  offsets.in_vector = offsets.count == 1 && TRY(array_dims(in, first)) == vector;
  if (offsets.in_vector) {
    TRY(expect_integers(in, first));
    return offsets;
  }
  if (offsets.count != rank) {
    return expected(in, "an offset for each of ", count_text(rank, "dimension"), ", found ",
                    offsets.count);
  }
  for (int64_t k = first; k < first + rank; ++k) {
    TRY(expect_operand(in, k, {}));
    TRY(expect_integers(in, k));
  }
  return offsets;
}

// OK if a window of these sizes fits into the array.
absl::Status expect_window(const Instruction& in, const Dims& array, const Dims& window) {
  for (size_t d = 0; d < array.size(); ++d) {
    if (window[d] > array[d]) {
      return expected(in, "a size of at most ", array[d], " in dimension ", d, ", found ",
                      window[d]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<op::Any> dynamic_slice(const Instruction& in) {
  op::DynamicSlice s;
  s.operand = TRY(array_dims(in, 0));
  s.result = s.operand.empty() ? TRY(integers_of(in.instruction, "dynamic_slice_sizes", {}))
                               : TRY(integers_of(in.instruction, "dynamic_slice_sizes"));
  if (s.result.size() != s.operand.size()) {
    return expected(in, count_text(std::ssize(s.operand), "number"),
                    " in dynamic_slice_sizes, found ", s.result.size());
  }
  TRY(expect_result(in, s.result));
  TRY(expect_window(in, s.operand, s.result));
  s.offsets = TRY(offsets_from(in, 1, std::ssize(s.operand)));
  return s;
}

absl::StatusOr<op::Any> dynamic_update_slice(const Instruction& in) {
  op::DynamicUpdateSlice u;
  u.operand = TRY(result_dims(in));
  TRY(expect_operand(in, 0, u.operand));
  u.update = TRY(array_dims(in, 1));
  if (u.update.size() != u.operand.size()) {
    return expected(in, "an update of rank ", u.operand.size(), ", found ", dims_text(u.update));
  }
  TRY(expect_window(in, u.operand, u.update));
  u.offsets = TRY(offsets_from(in, 2, std::ssize(u.operand)));
  return u;
}

namespace {

absl::Status expect_numbers(const Instruction& in, const op::IndexedWindows& t) {
  const int64_t rank = std::ssize(t.array), indices_rank = std::ssize(t.indices);
  TRY(expect_dimensions(in, "collapsed and batching dimensions",
                        joined(t.collapsed, t.array_batching), rank));
  TRY(expect_dimensions(in, "window dimensions", t.window_dims, std::ssize(t.windows)));
  TRY(expect_dimensions(in, "indexed and batching dimensions",
                        joined(t.start_map, t.array_batching), rank));
  TRY(expect_dimensions(in, "batching dimensions of the indices", t.indices_batching,
                        indices_rank));
  if (!std::ranges::is_sorted(t.window_dims)) return expected(in, "window dimensions in order");
  if (t.index_vector_dim > indices_rank) {
    return expected(in, "index_vector_dim of at most ", indices_rank, ", found ",
                    t.index_vector_dim);
  }
  const int64_t components = t.index_vector_dim == indices_rank ? 1 : t.indices[t.index_vector_dim];
  if (components == std::ssize(t.start_map)) return absl::OkStatus();
  return expected(in, "index vectors of ", count_text(std::ssize(t.start_map), "component"),
                  ", found ", components);
}

// The sizes of the batch, and of batching dimensions. Needs batch_dims and kept.
absl::Status expect_sizes(const Instruction& in, const op::IndexedWindows& t) {
  if (t.window_dims.size() != t.kept.size()) {
    return expected(in, count_text(std::ssize(t.kept), "window dimension"),
                    ", one for each kept dimension, found ", t.window_dims.size());
  }
  const std::vector<int64_t> of_batch = others(std::ssize(t.indices), {t.index_vector_dim});
  if (t.batch_dims.size() != of_batch.size()) {
    return expected(in, "rank ", t.window_dims.size() + of_batch.size(),
                    " of window and batch dimensions, found ", t.windows.size());
  }
  const std::optional<Dims> windows =
      interleaved(selected(t.indices, of_batch), selected(t.windows, t.window_dims), t.window_dims);
  for (const int64_t d : t.batch_dims) {
    if ((*windows)[d] == t.windows[d]) continue;
    return expected(in, "batch dimension ", d, " of size ", (*windows)[d], ", found ",
                    t.windows[d]);
  }
  for (size_t k = 0; k < t.array_batching.size(); ++k) {
    const int64_t d = t.indices_batching[k];
    const int64_t size = t.array[t.array_batching[k]];
    if (d == t.index_vector_dim) {
      return expected(in, "batching dimensions without index_vector_dim, found ", d);
    }
    if (t.indices[d] != size) {
      return expected(in, "batching dimension ", d, " of the indices of size ", size, ", found ",
                      t.indices[d]);
    }
  }
  return absl::OkStatus();
}

// Fills in batch_dims, kept and window_sizes.
absl::StatusOr<op::IndexedWindows> completed(const Instruction& in, op::IndexedWindows t) {
  TRY(expect_numbers(in, t));
  t.batch_dims = others(std::ssize(t.windows), t.window_dims);
  t.kept = others(std::ssize(t.array), t.collapsed, t.array_batching);
  TRY(expect_sizes(in, t));
  t.window_sizes.assign(t.array.size(), 1);
  for (size_t k = 0; k < t.kept.size(); ++k) {
    const int64_t d = t.kept[k], size = t.windows[t.window_dims[k]];
    if (size > t.array[d]) {
      return expected(in, "a window of at most ", t.array[d], " in dimension ", d, ", found ",
                      size);
    }
    t.window_sizes[d] = size;
  }
  return t;
}

}  // namespace

absl::StatusOr<op::Any> gather(const Instruction& in) {
  TRY(expect_operands(in, 2, 2));
  op::IndexedWindows t{TRY(gather_numbers_of(in.instruction))};
  const std::vector<int64_t> slice_sizes = TRY(integers_of(in.instruction, "slice_sizes"));
  t.array = TRY(array_dims(in, 0));
  t.indices = TRY(array_dims(in, 1));
  TRY(expect_integers(in, 1));
  t.windows = TRY(result_dims(in));
  t = TRY(completed(in, std::move(t)));
  // In other than kept dimensions a window has one element or none, as slice_sizes says.
  for (const int64_t d : joined(t.collapsed, t.array_batching)) {
    const bool is_none = t.array[d] == 0 || (d < std::ssize(slice_sizes) && slice_sizes[d] == 0);
    t.window_sizes[d] = is_none ? 0 : 1;
  }
  if (slice_sizes != t.window_sizes) {
    return expected(in, "slice_sizes ", dims_text(t.window_sizes), ", found ",
                    dims_text(slice_sizes));
  }
  return op::Gather{std::move(t)};
}

absl::StatusOr<op::Any> scatter(const Instruction& in) {
  const int64_t inputs = in.operand_count() / 2;
  if (inputs < 1 || in.operand_count() % 2 != 1) {
    return expected(in, "an array and updates for each part of the result, and indices, found ",
                    count_text(in.operand_count(), "operand"));
  }
  if (std::ssize(in.result) != inputs) {
    return expected(in, count_text(inputs, "part"), " of the result, one for each array, found ",
                    in.result.size());
  }
  op::IndexedWindows t{TRY(scatter_numbers_of(in.instruction))};
  t.array = TRY(array_dims(in, 0));
  t.indices = TRY(array_dims(in, inputs));
  TRY(expect_integers(in, inputs));
  t.windows = TRY(array_dims(in, inputs + 1));
  TRY(expect_parts(in, t.array));
  for (int64_t k = 0; k < inputs; ++k) {
    TRY(expect_operand(in, k, t.array));
    TRY(expect_operand(in, inputs + 1 + k, t.windows));
  }
  t = TRY(completed(in, std::move(t)));
  TRY(expect_on_scalars(in, "to_apply", 2 * inputs, inputs));
  return op::Scatter{static_cast<int32_t>(inputs), std::move(t)};
}

}  // namespace tileproof::check

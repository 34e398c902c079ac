// SPDX-License-Identifier: Apache-2.0
// Operations with offsets, and with tables of indices: dynamic-slice, dynamic-update-slice, gather,
// scatter.
#include <algorithm>
#include <utility>

#include "spec/lang/base/try.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"

namespace tileproof::check {
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
  GatherDimensionNumbers n = TRY(gather_numbers_of(in.instruction));
  op::IndexedWindows t;
  t.array = TRY(array_dims(in, 0));
  t.indices = TRY(array_dims(in, 1));
  TRY(expect_integers(in, 1));
  t.windows = TRY(result_dims(in));
  t.window_dims = std::move(n.offset_dims);
  t.collapsed = std::move(n.collapsed_slice_dims);
  t.start_map = std::move(n.start_index_map);
  t.array_batching = std::move(n.operand_batching_dims);
  t.indices_batching = std::move(n.start_indices_batching_dims);
  t.index_vector_dim = n.index_vector_dim;
  t = TRY(completed(in, std::move(t)));
  // In other than kept dimensions a window has one element or none, as slice_sizes says.
  for (const int64_t d : joined(t.collapsed, t.array_batching)) {
    const bool is_none =
        t.array[d] == 0 || (d < std::ssize(n.slice_sizes) && n.slice_sizes[d] == 0);
    t.window_sizes[d] = is_none ? 0 : 1;
  }
  if (n.slice_sizes != t.window_sizes) {
    return expected(in, "slice_sizes ", dims_text(t.window_sizes), ", found ",
                    dims_text(n.slice_sizes));
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
  ScatterDimensionNumbers n = TRY(scatter_numbers_of(in.instruction));
  op::IndexedWindows t;
  t.array = TRY(array_dims(in, 0));
  t.indices = TRY(array_dims(in, inputs));
  TRY(expect_integers(in, inputs));
  t.windows = TRY(array_dims(in, inputs + 1));
  TRY(expect_parts(in, t.array));
  for (int64_t k = 0; k < inputs; ++k) {
    TRY(expect_operand(in, k, t.array));
    TRY(expect_operand(in, inputs + 1 + k, t.windows));
  }
  t.window_dims = std::move(n.update_window_dims);
  t.collapsed = std::move(n.inserted_window_dims);
  t.start_map = std::move(n.scatter_dims_to_operand_dims);
  t.array_batching = std::move(n.input_batching_dims);
  t.indices_batching = std::move(n.scatter_indices_batching_dims);
  t.index_vector_dim = n.index_vector_dim;
  t = TRY(completed(in, std::move(t)));
  TRY(expect_on_scalars(in, "to_apply", 2 * inputs, inputs));
  return op::Scatter{static_cast<int32_t>(inputs), std::move(t)};
}

}  // namespace tileproof::check

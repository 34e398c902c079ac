// Operations with tables of indices: gather, scatter.
#include <algorithm>
#include <utility>

#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op_parts.h"

namespace tileproof::check {
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
  for (size_t k = 0; k < of_batch.size(); ++k) {
    const int64_t size = t.indices[of_batch[k]], found = t.windows[t.batch_dims[k]];
    if (size == found) continue;
    return expected(in, "batch dimension ", t.batch_dims[k], " of size ", size, ", found ", found);
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
  t.windows = TRY(result_dims(in));
  t.window_dims = std::move(n.offset_dims);
  t.collapsed = std::move(n.collapsed_slice_dims);
  t.start_map = std::move(n.start_index_map);
  t.array_batching = std::move(n.operand_batching_dims);
  t.indices_batching = std::move(n.start_indices_batching_dims);
  t.index_vector_dim = n.index_vector_dim;
  t = TRY(completed(in, std::move(t)));
  for (size_t d = 0; d < t.array.size(); ++d) {
    t.window_sizes[d] = std::min(t.window_sizes[d], t.array[d]);
  }
  if (n.slice_sizes != t.window_sizes) {
    return expected(in, "slice_sizes ", dims_text(t.window_sizes), ", found ",
                    dims_text(n.slice_sizes));
  }
  return op::Gather{std::move(t)};
}

absl::StatusOr<op::Any> scatter(const Instruction& in) {
  const int64_t inputs = (in.operand_count() - 1) / 2;
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
  return op::Scatter{static_cast<int32_t>(inputs), std::move(t)};
}

}  // namespace tileproof::check

// Operations with tables of indices: gather, scatter.
//
// Both address a window of the operand (of size slice_sizes, or as large as the windows of the
// updates) by an index vector that lies along dimension index_vector_dim of the table. The rest of
// the table's dimensions, the batch, are dimensions of the many-windowed array: of the result of a
// gather, of the updates of a scatter. Here that array is called the windows.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation_parts.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

bool contains(const std::vector<int64_t>& list, int64_t d) {
  return std::count(list.begin(), list.end(), d) > 0;
}

// What gather and scatter have in common, under names for both.
struct Table {
  Dims operand;
  Dims indices;
  Dims windows;
  std::vector<int64_t> window_dims;       // dimensions of the windows that are inside a window
  std::vector<int64_t> dropped;           // dimensions of the operand of window size 1
  std::vector<int64_t> starts;            // the operand's dimension of each index component
  std::vector<int64_t> operand_batching;  // dimensions of the operand that are batch dimensions
  std::vector<int64_t> indices_batching;  // of the indices, as many
  int64_t vector_dim = 0;
};

// For each dimension of the table the dimension of the windows that is its batch; -1 for the index
// vector.
std::vector<int64_t> batch_of(const Table& t) {
  std::vector<int64_t> batch;
  int64_t next = 0;
  for (int64_t d = 0; d < std::ssize(t.indices); ++d) {
    if (d == t.vector_dim) {
      batch.push_back(-1);
      continue;
    }
    while (contains(t.window_dims, next)) ++next;
    batch.push_back(next++);
  }
  return batch;
}

absl::Status expect_table(const Operation& op, const Table& t) {
  const int64_t rank = std::ssize(t.operand);
  const int64_t indices_rank = std::ssize(t.indices);
  const int64_t windows_rank = std::ssize(t.windows);
  std::vector<int64_t> without = t.dropped;
  without.insert(without.end(), t.operand_batching.begin(), t.operand_batching.end());
  absl::Status status = expect_dimensions(op, "dropped and batching dimensions", without, rank);
  status.Update(expect_dimensions(op, "window dimensions", t.window_dims, windows_rank));
  std::vector<int64_t> addressed = t.starts;
  addressed.insert(addressed.end(), t.operand_batching.begin(), t.operand_batching.end());
  status.Update(expect_dimensions(op, "indexed and batching dimensions", addressed, rank));
  if (!status.ok()) return status;
  if (!std::is_sorted(t.window_dims.begin(), t.window_dims.end())) {
    return expected(op, "window dimensions in order");
  }
  if (t.vector_dim > indices_rank) {
    return expected(op, absl::StrCat("index_vector_dim to be at most ", indices_rank, ", found ",
                                     t.vector_dim));
  }
  const int64_t components = t.vector_dim == indices_rank ? 1 : t.indices[t.vector_dim];
  if (components != std::ssize(t.starts)) {
    return expected(
        op, absl::StrCat("index vectors of ", t.starts.size(), " components, found ", components));
  }
  if (std::ssize(t.window_dims) != rank - std::ssize(without)) {
    return expected(op, "a window dimension for each dimension of the operand that is kept");
  }
  const int64_t batches = indices_rank - (t.vector_dim < indices_rank ? 1 : 0);
  if (windows_rank != batches + std::ssize(t.window_dims)) {
    return expected(op, absl::StrCat("rank ", batches + std::ssize(t.window_dims),
                                     " of batch and window dimensions, found ", windows_rank));
  }
  return absl::OkStatus();
}

absl::Status expect_batches(const Operation& op, const Table& t) {
  const std::vector<int64_t> batch = batch_of(t);
  for (size_t d = 0; d < batch.size(); ++d) {
    if (batch[d] >= 0 && t.windows[batch[d]] != t.indices[d]) {
      return expected(op, absl::StrCat("batch dimension ", batch[d], " to be ", t.indices[d],
                                       ", found ", t.windows[batch[d]]));
    }
  }
  TRY(expect_dimensions(op, "batching dimensions of the indices", t.indices_batching,
                        std::ssize(t.indices)));
  for (size_t k = 0; k < t.operand_batching.size(); ++k) {
    const int64_t d = t.indices_batching[k];
    if (d == t.vector_dim || t.indices[d] != t.operand[t.operand_batching[k]]) {
      return expected(op, "batching dimensions of one size");
    }
  }
  return absl::OkStatus();
}

// How each dimension of the operand is addressed, in coordinates of the windows.
std::vector<access::Addressed> addressed(const Table& t) {
  std::vector<access::Addressed> result(t.operand.size());
  for (int64_t k = 0; k < std::ssize(t.starts); ++k) result[t.starts[k]].start = k;
  const std::vector<int64_t> batch = batch_of(t);
  for (size_t k = 0; k < t.operand_batching.size(); ++k) {
    result[t.operand_batching[k]].batch = batch[t.indices_batching[k]];
  }
  size_t next = 0;
  for (int64_t d = 0; d < std::ssize(t.operand); ++d) {
    if (contains(t.dropped, d) || contains(t.operand_batching, d)) continue;
    result[d].window = t.window_dims[next++];
  }
  return result;
}

// The element of the table that holds one component of the index vector of a window element; the
// coordinates of the windows are result coordinates or range variables.
access::Projection in_table(const Table& t, access::Projection::Coordinate component,
                            access::Projection::Coordinate (*coordinate)(int64_t)) {
  const std::vector<int64_t> batch = batch_of(t);
  access::Projection pick;
  for (int64_t d : batch) pick.coordinates.push_back(d < 0 ? component : coordinate(d));
  return pick;
}

absl::StatusOr<Table> gather_table(const Operation& op, const GatherDimensionNumbers& n) {
  const Dims operand = TRY(array_dims(op, 0));
  const Dims indices = TRY(array_dims(op, 1));
  const Dims out = TRY(result_dims(op));
  return Table{operand,
               indices,
               out,
               n.offset_dims,
               n.collapsed_slice_dims,
               n.start_index_map,
               n.operand_batching_dims,
               n.start_indices_batching_dims,
               n.index_vector_dim};
}

}  // namespace

// out[batch, offset] = operand[clamp(indices[batch]) + offset]
absl::StatusOr<AccessRelation> gather(const Operation& op, int64_t) {
  TRY(expect_operands(op, 2, 2));
  const auto n = TRY(gather_numbers_of(op.instruction));
  const Table t = TRY(gather_table(op, n));
  TRY(expect_table(op, t));
  TRY(expect_batches(op, t));
  if (n.slice_sizes.size() != t.operand.size()) {
    return expected(op, "slice_sizes of every dimension of the operand");
  }
  const std::vector<access::Addressed> dimensions = addressed(t);
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const int64_t size = n.slice_sizes[d];
    const int64_t fits = dimensions[d].window ? t.windows[*dimensions[d].window]
                                              : std::min<int64_t>(t.operand[d], 1);
    if (size > t.operand[d] || size != fits) {
      return expected(op, absl::StrCat("slice_sizes of the window and at most the operand's size ",
                                       t.operand[d], " in dimension ", d, ", found ", size));
    }
  }
  AccessRelation relation{.dependences = {dependence_of(0, access::Gather{dimensions})}};
  for (int64_t k = 0; k < std::ssize(t.starts); ++k) {
    const int64_t d = t.starts[k];
    relation.runtime.push_back({1, t.indices, in_table(t, access::constant(k), access::output), 0,
                                t.operand[d] - n.slice_sizes[d]});
  }
  const bool vectors = t.vector_dim < std::ssize(t.indices);
  relation.dependences.push_back(dependence_of(1, in_table(t, access::range(0), access::output),
                                               vectors ? Dims{t.indices[t.vector_dim]} : Dims{}));
  return relation;
}

namespace {

// The size of a window in each dimension of the operand.
absl::StatusOr<Dims> window_sizes(const Operation& op, const Table& t,
                                  const std::vector<access::Addressed>& dimensions) {
  Dims sizes;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    sizes.push_back(dimensions[d].window ? t.windows[*dimensions[d].window] : 1);
    if (sizes[d] > t.operand[d] && dimensions[d].window) {
      return expected(op, absl::StrCat("a window of at most ", t.operand[d], " in dimension ", d,
                                       ", found ", sizes[d]));
    }
    if (!moderate(t.operand[d])) return beyond(op, "sizes to 2^56");
  }
  return sizes;
}

}  // namespace

// out = operand; then for every element of the updates, if its window is wholly inside:
// out[indices[batch] + offset] = f(out[..], update)
absl::StatusOr<AccessRelation> scatter(const Operation& op, int64_t leaf) {
  const int64_t inputs = (op.operand_count() - 1) / 2;
  if (inputs < 1 || op.operand_count() % 2 != 1) return expected(op, "updates for each operand");
  if (std::ssize(op.result) != inputs) return expected(op, "a result for each operand");
  const auto n = TRY(scatter_numbers_of(op.instruction));
  const Dims indices = TRY(array_dims(op, inputs));
  const Dims updates = TRY(array_dims(op, inputs + 1));
  const Dims& out = op.result[leaf].dims;
  for (int64_t k = 0; k < inputs; ++k) {
    absl::Status status = expect_dims(op, k, out);
    status.Update(expect_dims(op, inputs + 1 + k, updates));
    if (!status.ok()) return status;
  }
  const Table t{out,
                indices,
                updates,
                n.update_window_dims,
                n.inserted_window_dims,
                n.scatter_dims_to_operand_dims,
                n.input_batching_dims,
                n.scatter_indices_batching_dims,
                n.index_vector_dim};
  TRY(expect_table(op, t));
  TRY(expect_batches(op, t));
  const std::vector<access::Addressed> dimensions = addressed(t);
  const Dims window = TRY(window_sizes(op, t, dimensions));
  AccessRelation relation;
  for (int64_t k = 0; k < std::ssize(t.starts); ++k) {
    relation.runtime.push_back({inputs, t.indices, in_table(t, access::constant(k), access::range),
                                -1, t.operand[t.starts[k]] + 1});
  }
  const access::ScatterLanding landing{dimensions, out, window};
  for (int64_t k = 0; k < inputs; ++k) {
    relation.dependences.push_back(
        k == leaf ? same(k, 0, std::ssize(out))
                  : dependence_of(k, access::ScatterOtherOperand{landing}, updates));
    relation.dependences.push_back(
        dependence_of(inputs + 1 + k, access::ScatterUpdate{landing}, updates));
  }
  relation.dependences.push_back(universe(inputs, 0, indices));
  return relation;
}

}  // namespace tileproof::spec

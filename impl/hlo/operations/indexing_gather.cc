// Operations with tables of indices: gather, scatter.
//
// A table holds an index vector for each point of a batch: the dimensions of the table without
// index_vector_dim. Each vector says where a window of the operand begins. The windows of all
// points form one array, the result of a gather, the updates of a scatter: its dimensions are those
// of the batch and those inside a window.
#include <algorithm>
#include <optional>

#include "absl/strings/str_join.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

std::string text_of(const Dims& sizes) { return absl::StrCat("[", absl::StrJoin(sizes, ","), "]"); }

bool holds(const std::vector<int64_t>& list, int64_t d) { return std::ranges::count(list, d) > 0; }

// Names for what gather and scatter have in common.
struct Table {
  int32_t operand;  // position of the table
  Dims in;          // sizes of the array that is indexed
  Dims indices;
  Dims windows;
  std::vector<int64_t> window_dims;  // of the windows array
  std::vector<int64_t> dropped;      // of the indexed array: no dimension of a window
  std::vector<int64_t> starts;       // of the indexed array, by component of the index vector
  std::vector<int64_t> in_batching;
  std::vector<int64_t> indices_batching;
  int64_t vector_dim;

  bool has_vector_dim() const { return vector_dim < std::ssize(indices); }
};

// Dimensions of the windows array that belong to the batch, by dimension of the table; -1 for the
// index vector.
std::vector<int64_t> batch_dims(const Table& t) {
  std::vector<int64_t> dims;
  int64_t next = 0;
  for (int64_t d = 0; d < std::ssize(t.indices); ++d) {
    if (d == t.vector_dim) {
      dims.push_back(-1);
      continue;
    }
    while (holds(t.window_dims, next)) ++next;
    dims.push_back(next++);
  }
  return dims;
}

// The dimension of the windows array inside a window, by dimension of the indexed array; -1 where
// a window has one element.
std::vector<int64_t> inside_dims(const Table& t) {
  std::vector<int64_t> dims;
  size_t next = 0;
  for (int64_t d = 0; d < std::ssize(t.in); ++d) {
    const bool none = holds(t.dropped, d) || holds(t.in_batching, d);
    dims.push_back(none ? -1 : t.window_dims[next++]);
  }
  return dims;
}

absl::Status expect_ranks(const Operation& op, const Table& t) {
  std::vector<int64_t> none = t.dropped, addressed = t.starts;
  none.insert(none.end(), t.in_batching.begin(), t.in_batching.end());
  addressed.insert(addressed.end(), t.in_batching.begin(), t.in_batching.end());
  TRY(expect_dimensions(op, "dropped and batching dimensions", none, t.in.size()));
  TRY(expect_dimensions(op, "indexed dimensions", addressed, t.in.size()));
  TRY(expect_dimensions(op, "window dimensions", t.window_dims, t.windows.size()));
  TRY(expect_dimensions(op, "batching dimensions of the indices", t.indices_batching,
                        t.indices.size()));
  if (!std::ranges::is_sorted(t.window_dims)) return wrong(op, "expected window dims in order");
  if (t.vector_dim > std::ssize(t.indices)) {
    return wrong(op, "expected index_vector_dim of at most ", t.indices.size());
  }
  const int64_t components = t.has_vector_dim() ? t.indices[t.vector_dim] : 1;
  if (components != std::ssize(t.starts)) {
    return wrong(op, "expected index vectors of ", t.starts.size(), " components, found ",
                 components);
  }
  const size_t batches = t.indices.size() - (t.has_vector_dim() ? 1 : 0);
  if (t.window_dims.size() + none.size() != t.in.size() ||
      t.windows.size() != batches + t.window_dims.size()) {
    return wrong(op, "expected a window dimension for each dimension that is kept, found ",
                 text_of(t.windows), " for ", text_of(t.in));
  }
  return absl::OkStatus();
}

absl::Status expect_table(const Operation& op, const Table& t) {
  TRY(expect_ranks(op, t));
  const std::vector<int64_t> batch = batch_dims(t);
  for (size_t d = 0; d < batch.size(); ++d) {
    if (batch[d] >= 0 && t.windows[batch[d]] != t.indices[d]) {
      return wrong(op, "expected dimension ", batch[d], " of size ", t.indices[d], ", found ",
                   t.windows[batch[d]]);
    }
  }
  bool fits = t.indices_batching.size() == t.in_batching.size();
  for (size_t k = 0; fits && k < t.in_batching.size(); ++k) {
    const int64_t d = t.indices_batching[k];
    fits = d != t.vector_dim && t.indices[d] == t.in[t.in_batching[k]];
  }
  if (!fits) return wrong(op, "expected batching dimensions of equal sizes");
  return absl::OkStatus();
}

// The sizes of a window by dimension of the indexed array.
absl::StatusOr<Dims> window_sizes(const Operation& op, const Table& t) {
  Dims sizes;
  const std::vector<int64_t> inside = inside_dims(t);
  for (size_t d = 0; d < t.in.size(); ++d) {
    sizes.push_back(inside[d] < 0 ? 1 : t.windows[inside[d]]);
    if (sizes[d] > t.in[d] && inside[d] >= 0) {
      return wrong(op, "expected a window of at most ", t.in[d], " in dimension ", d, ", found ",
                   sizes[d]);
    }
  }
  return sizes;
}

absl::StatusOr<Table> gather_table(const Operation& op) {
  TRY(expect_operands(op, 2, 2));
  const auto n = TRY(gather_numbers_of(op.instruction));
  const auto in = TRY(operand_sizes(op, 0)), indices = TRY(operand_sizes(op, 1));
  Table t{1,
          in,
          indices,
          op.output,
          n.offset_dims,
          n.collapsed_slice_dims,
          n.start_index_map,
          n.operand_batching_dims,
          n.start_indices_batching_dims,
          n.index_vector_dim};
  TRY(expect_table(op, t));
  Dims fits = TRY(window_sizes(op, t));
  for (size_t d = 0; d < in.size(); ++d) fits[d] = std::min(fits[d], in[d]);
  if (n.slice_sizes != fits) {
    return wrong(op, "expected slice_sizes ", text_of(fits), ", found ", text_of(n.slice_sizes));
  }
  return t;
}

}  // namespace

// out[batch, inside] = in[rt + inside], rt the row of indices at `batch`.
absl::StatusOr<Dependences> gather_dependences(const Operation& op) {
  const auto t = TRY(gather_table(op));
  Dependences dependences;
  if (has_no_elements(op.output)) return dependences;
  const Dims sizes = *window_sizes(op, t);
  const std::vector<int64_t> batch = batch_dims(t), inside = inside_dims(t);
  AccessRelation declared;
  MapBuilder values(op.output);
  for (size_t k = 0; k < t.starts.size(); ++k) {
    const int64_t d = t.starts[k];
    const Interval feasible{0, t.in[d] - sizes[d]};
    for (int64_t b : batch) {
      values.result(b < 0 ? values.constant(static_cast<int64_t>(k)) : values.dimension(b));
    }
    const HloPosition position{{}, op.instruction.operands[t.operand].instruction, 0};
    declared.runtime.push_back({position, static_cast<int32_t>(t.indices.size()), feasible});
  }
  declared.map = values.take();
  if (!t.starts.empty())
    dependences.declared = std::make_shared<const AccessRelation>(std::move(declared));

  MapBuilder m(op.output);
  std::vector<NodeId> index(t.in.size());
  for (size_t d = 0; d < index.size(); ++d) {
    index[d] = inside[d] < 0 ? m.constant(0) : m.dimension(inside[d]);
  }
  for (size_t k = 0; k < t.starts.size(); ++k) {
    NodeId& at = index[t.starts[k]];
    at = m.plus(at, m.runtime(dependences.declared->runtime[k].feasible));
  }
  for (size_t k = 0; k < t.in_batching.size(); ++k) {
    index[t.in_batching[k]] = m.dimension(batch[t.indices_batching[k]]);
  }
  for (NodeId result : index) m.result(result);
  TRY(add_dependence(op, dependences, 0, m, t.in));

  MapBuilder row(op.output);
  for (size_t d = 0; d < batch.size(); ++d) {
    row.result(batch[d] < 0 ? row.range(t.indices[d]) : row.dimension(batch[d]));
  }
  TRY(add_dependence(op, dependences, 1, row, t.indices));
  return dependences;
}

namespace {

// The places of update elements that land at the result element: of each batch point (range
// variables) the window begins at rt, and the place inside is the rest. The relation is to the
// updates, or, where `to_operand`, to the same element of an operand.
absl::Status add_landing(const Operation& op, Dependences& dependences, const Table& t,
                         const Dims& sizes, int32_t operand, bool to_operand) {
  if (has_no_elements(t.windows) || has_no_elements(op.output)) return absl::OkStatus();
  const std::vector<int64_t> batch = batch_dims(t), inside = inside_dims(t);
  MapBuilder m(op.output);
  std::vector<NodeId> update(t.windows.size()), point(t.indices.size(), -1);
  for (size_t k = 0; k < t.in_batching.size(); ++k) {
    point[t.indices_batching[k]] = m.dimension(t.in_batching[k]);
  }
  for (size_t d = 0; d < point.size(); ++d) {
    if (batch[d] < 0) continue;
    if (point[d] < 0) point[d] = m.range(t.indices[d]);
    update[batch[d]] = point[d];
  }
  AccessRelation relation;
  std::vector<NodeId> start(t.in.size(), -1), reads;
  for (size_t k = 0; k < t.starts.size(); ++k) {
    const int64_t d = t.starts[k];
    // A value before 0 or behind the last fit does what the next one does: the window is skipped.
    const Interval feasible{-1, t.in[d] - sizes[d] + 1};
    start[d] = m.runtime(feasible);
    m.require(start[d], {0, t.in[d] - sizes[d]});
    for (size_t i = 0; i < point.size(); ++i) {
      reads.push_back(batch[i] < 0 ? m.constant(static_cast<int64_t>(k)) : point[i]);
    }
    const HloPosition position{{}, op.instruction.operands[t.operand].instruction, 0};
    relation.runtime.push_back({position, static_cast<int32_t>(point.size()), feasible});
  }
  for (int64_t d = 0; d < std::ssize(t.in); ++d) {
    if (holds(t.in_batching, d)) continue;
    const NodeId rest = start[d] < 0 ? m.dimension(d) : m.minus(m.dimension(d), start[d]);
    m.require(rest, {0, sizes[d] - 1});
    if (inside[d] >= 0) update[inside[d]] = rest;
  }
  if (m.failed()) return wrong(op, "expected sizes that fit 64 signed bits");
  for (int64_t d = 0; to_operand && d < std::ssize(t.in); ++d) m.result(m.dimension(d));
  for (NodeId expr : update) {
    if (!to_operand) m.result(expr);
  }
  for (NodeId expr : reads) m.result(expr);
  relation.map = m.take();
  const Dims& target = to_operand ? t.in : t.windows;
  relation.rank = static_cast<int32_t>(target.size());
  AccessRelationPtr done = simplified(std::move(relation), op.output, target);
  if (done) dependences.dependences.push_back({operand, 0, std::move(done)});
  return absl::OkStatus();
}

}  // namespace

// Operands, indices, updates: as many updates as operands. The computation is given the elements of
// all operands and updates at a place where an update lands.
absl::StatusOr<Dependences> scatter_dependences(const Operation& op) {
  const int32_t arrays = op.operands() / 2;
  if (op.operands() % 2 != 1 || op.leaf_count() != arrays) {
    return wrong(op, "expected an operand and updates for each of ", op.leaf_count(),
                 " results, found ", op.operands(), " operands");
  }
  const auto n = TRY(scatter_numbers_of(op.instruction));
  const auto indices = TRY(operand_sizes(op, arrays)), updates = TRY(operand_sizes(op, arrays + 1));
  const Table t{arrays,
                op.output,
                indices,
                updates,
                n.update_window_dims,
                n.inserted_window_dims,
                n.scatter_dims_to_operand_dims,
                n.input_batching_dims,
                n.scatter_indices_batching_dims,
                n.index_vector_dim};
  TRY(expect_table(op, t));
  const auto sizes = TRY(window_sizes(op, t));
  Dependences dependences;
  for (int32_t k = 0; k < arrays; ++k) {
    const auto in = TRY(operand_sizes(op, k)), update = TRY(operand_sizes(op, arrays + 1 + k));
    if (in != op.output || update != updates) {
      return wrong(op, "expected operands ", text_of(op.output), " and updates ", text_of(updates),
                   ", found ", text_of(in), " and ", text_of(update));
    }
    absl::Status status;
    if (k == op.leaf) {
      add_identity(op, dependences, k);
    } else {
      status = add_landing(op, dependences, t, sizes, k, true);
    }
    if (status.ok()) status = add_landing(op, dependences, t, sizes, arrays + 1 + k, false);
    if (!status.ok()) return status;
  }
  add_universe(op, dependences, arrays, 0, "");
  return dependences;
}

}  // namespace tileproof::impl

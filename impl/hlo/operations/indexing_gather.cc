// SPDX-License-Identifier: Apache-2.0
// Operations with tables of indices: gather, scatter.
//
// op::IndexedWindows (spec/lang/hlo/checked_op.h) says what the table, the array and the windows
// are, and which of their dimensions belong together.
#include <algorithm>

#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

using op::IndexedWindows;

// The dimension of `windows` by dimension of `indices`; -1 for the index vector.
std::vector<int64_t> batch_by_indices(const IndexedWindows& t) {
  std::vector<int64_t> dims = t.batch_dims;
  const int64_t d = t.index_vector_dim;
  if (d < std::ssize(t.indices)) dims.insert(dims.begin() + d, -1);
  return dims;
}

// The dimension of `windows` by dimension of `array`; -1 if a window has one element there.
std::vector<int64_t> windows_by_array(const IndexedWindows& t) {
  std::vector<int64_t> dims(t.array.size(), -1);
  for (size_t k = 0; k < t.kept.size(); ++k) dims[t.kept[k]] = t.window_dims[k];
  return dims;
}

// Declares a runtime variable for each component of the index vector at the batch point.
void declare_starts(const OperationContext& context, Dependences& dependences,
                    const IndexedWindows& t) {
  if (t.start_map.empty()) return;
  const HloPosition indices{{}, context.operand(1), 0};
  AccessRelation declared;
  MapBuilder m(context.output);
  for (size_t k = 0; k < t.start_map.size(); ++k) {
    const int64_t d = t.start_map[k];
    for (int64_t b : batch_by_indices(t)) {
      m.result(b < 0 ? m.constant(static_cast<int64_t>(k)) : m.dimension(b));
    }
    declared.runtime.push_back({indices, static_cast<int32_t>(t.indices.size()),
                                Interval{0, t.array[d] - t.window_sizes[d]}});
  }
  declared.map = m.take();
  dependences.declared = std::make_shared<const AccessRelation>(std::move(declared));
}

}  // namespace

// out[batch, inside] = in[rt + inside], rt the row of indices at `batch`. Windows without elements
// read nothing.
absl::StatusOr<Dependences> dependences_of(const op::Gather& gather,
                                           const OperationContext& context) {
  const IndexedWindows& t = gather.table;
  Dependences dependences;
  if (has_no_elements(context.output)) return dependences;
  declare_starts(context, dependences, t);
  const std::vector<int64_t> batch = batch_by_indices(t), inside = windows_by_array(t);

  MapBuilder m(context.output);
  std::vector<NodeId> index(t.array.size());
  for (size_t d = 0; d < index.size(); ++d) {
    index[d] = inside[d] < 0 ? m.constant(0) : m.dimension(inside[d]);
  }
  for (size_t k = 0; k < t.start_map.size(); ++k) {
    NodeId& at = index[t.start_map[k]];
    at = m.plus(at, m.runtime(dependences.declared->runtime[k].feasible));
  }
  for (size_t k = 0; k < t.array_batching.size(); ++k) {
    index[t.array_batching[k]] = m.dimension(batch[t.indices_batching[k]]);
  }
  for (NodeId result : index) m.result(result);
  if (!has_no_elements(t.window_sizes)) TRY(add_dependence(context, dependences, {0}, m));

  MapBuilder row(context.output);
  for (size_t d = 0; d < batch.size(); ++d) {
    row.result(batch[d] < 0 ? row.range(t.indices[d]) : row.dimension(batch[d]));
  }
  TRY(add_dependence(context, dependences, {1}, row));
  return dependences;
}

namespace {

// The update elements that land at a result element. Each batch point (range variables) has a
// window that begins at rt; the rest is the offset inside it. The relation is to the updates or,
// with `to_operand`, to the same element of an operand.
absl::Status add_landing(const OperationContext& context, Dependences& dependences,
                         const op::Scatter& scatter, int32_t operand, bool to_operand) {
  const IndexedWindows& t = scatter.table;
  if (has_no_elements(t.windows) || has_no_elements(context.output)) return absl::OkStatus();
  const std::vector<int64_t> batch = batch_by_indices(t), inside = windows_by_array(t);
  MapBuilder m(context.output);
  std::vector<NodeId> update(t.windows.size()), point(t.indices.size(), -1);
  for (size_t k = 0; k < t.array_batching.size(); ++k) {
    point[t.indices_batching[k]] = m.dimension(t.array_batching[k]);
  }
  for (size_t d = 0; d < point.size(); ++d) {
    if (batch[d] < 0) continue;
    if (point[d] < 0) point[d] = m.range(t.indices[d]);
    update[batch[d]] = point[d];
  }
  AccessRelation relation;
  std::vector<NodeId> start(t.array.size(), -1), reads;
  for (size_t k = 0; k < t.start_map.size(); ++k) {
    const int64_t d = t.start_map[k], last = t.array[d] - t.window_sizes[d];
    // A start below 0 or above the last one that fits skips the window: -1 and last + 1 stand for
    // all such values.
    const Interval feasible{-1, last + 1};
    start[d] = m.runtime(feasible);
    m.require(start[d], {0, last});
    for (size_t i = 0; i < point.size(); ++i) {
      reads.push_back(batch[i] < 0 ? m.constant(static_cast<int64_t>(k)) : point[i]);
    }
    const HloPosition position{{}, context.operand(scatter.inputs), 0};
    relation.runtime.push_back({position, static_cast<int32_t>(point.size()), feasible});
  }
  for (int64_t d = 0; d < std::ssize(t.array); ++d) {
    if (std::ranges::count(t.array_batching, d) > 0) continue;
    const NodeId rest = start[d] < 0 ? m.dimension(d) : m.minus(m.dimension(d), start[d]);
    m.require(rest, {0, t.window_sizes[d] - 1});
    if (inside[d] >= 0) update[inside[d]] = rest;
  }
  if (m.failed()) return wrong(context, "expected sizes that fit 64 signed bits");
  for (int64_t d = 0; to_operand && d < std::ssize(t.array); ++d) m.result(m.dimension(d));
  for (NodeId expr : update) {
    if (!to_operand) m.result(expr);
  }
  for (NodeId expr : reads) m.result(expr);
  relation.map = m.take();
  const Dims& target = to_operand ? t.array : t.windows;
  relation.rank = static_cast<int32_t>(target.size());
  AccessRelationPtr done = simplified(std::move(relation), context.output, target);
  if (done) dependences.dependences.push_back({operand, 0, std::move(done)});
  return absl::OkStatus();
}

}  // namespace

// At an index where an update lands, the computation takes the elements of all arrays and updates.
// All of them flow, and every index flows everywhere (docs/manual.md).
absl::StatusOr<Dependences> dependences_of(const op::Scatter& scatter,
                                           const OperationContext& context) {
  Dependences dependences;
  for (int32_t k = 0; k < scatter.inputs; ++k) {
    if (k == context.leaf) {
      add_identity(context, dependences, {k});
    } else {
      TRY(add_landing(context, dependences, scatter, k, true));
    }
    TRY(add_landing(context, dependences, scatter, scatter.inputs + 1 + k, false));
  }
  add_universe(context, dependences, {scatter.inputs});
  return dependences;
}

}  // namespace tileproof::impl

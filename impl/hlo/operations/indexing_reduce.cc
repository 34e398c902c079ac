// SPDX-License-Identifier: Apache-2.0
// Operations that combine whole lines: dot, reduce, sort, topk.
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

// One operand of a dot. Its free dimensions are those of the result from `first_free` on.
struct Side {
  int32_t operand;
  const Dims& sizes;
  const std::vector<int64_t>& batch;
  const std::vector<int64_t>& contracting;
  int64_t first_free;
};

absl::Status add_side(const OperationContext& context, Dependences& dependences, const Side& side) {
  MapBuilder m(context.output);
  std::vector<NodeId> index(side.sizes.size(), -1);
  for (size_t i = 0; i < side.batch.size(); ++i) {
    index[side.batch[i]] = m.dimension(static_cast<int64_t>(i));
  }
  for (int64_t d : side.contracting) index[d] = m.range(side.sizes[d]);
  int64_t next = side.first_free;
  for (NodeId& expr : index) {
    if (expr < 0) expr = m.dimension(next++);
    m.result(expr);
  }
  return add_dependence(context, dependences, {side.operand}, m);
}

}  // namespace

// out[batch, i, j] = sum over k of a[batch, i, k] * b[batch, k, j]
//
// If there is nothing to sum over, nothing flows.
absl::StatusOr<Dependences> dependences_of(const op::Dot& dot, const OperationContext& context) {
  const DotDimensionNumbers& n = dot.numbers;
  const int64_t batches = std::ssize(n.lhs_batch);
  const Side a{0, dot.lhs, n.lhs_batch, n.lhs_contracting, batches};
  const Side b{1, dot.rhs, n.rhs_batch, n.rhs_contracting, batches + std::ssize(dot.lhs_free)};
  Dependences dependences;
  TRY(add_side(context, dependences, a));
  TRY(add_side(context, dependences, b));
  return dependences;
}

// The computation takes elements of all inputs and all inits.
absl::StatusOr<Dependences> dependences_of(const op::Reduce& reduce,
                                           const OperationContext& context) {
  Dependences dependences;
  for (int32_t k = 0; k < reduce.inputs; ++k) {
    MapBuilder m(context.output);
    size_t next = 0;
    for (int64_t d = 0; d < std::ssize(reduce.operand); ++d) {
      const bool is_kept = next < reduce.kept.size() && reduce.kept[next] == d;
      m.result(is_kept ? m.dimension(static_cast<int64_t>(next++)) : m.range(reduce.operand[d]));
    }
    TRY(add_dependence(context, dependences, {k}, m));
    add_universe(context, dependences, {reduce.inputs + k});
  }
  return dependences;
}

namespace {

// Each element of the result depends on its whole line along `dimension` of each operand.
absl::StatusOr<Dependences> line_dependences(const OperationContext& context, int32_t operands,
                                             const Dims& sizes, std::optional<int64_t> dimension) {
  Dependences dependences;
  for (int32_t k = 0; k < operands; ++k) {
    MapBuilder m(context.output);
    for (int64_t d = 0; d < std::ssize(sizes); ++d) {
      m.result(d == dimension ? m.range(sizes[d]) : m.dimension(d));
    }
    TRY(add_dependence(context, dependences, {k}, m));
  }
  return dependences;
}

}  // namespace

absl::StatusOr<Dependences> dependences_of(const op::Sort& sort, const OperationContext& context) {
  return line_dependences(context, sort.operands, sort.dims, sort.dimension);
}

absl::StatusOr<Dependences> dependences_of(const op::TopK& topk, const OperationContext& context) {
  return line_dependences(context, 1, topk.operand, std::ssize(topk.operand) - 1);
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Collectives, as one replica sees them. The replica is not part of the relation, so an element of
// another replica counts as the element of this replica at the same index.
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

absl::StatusOr<Dependences> passed(const OperationContext& context, OperandLeaf from) {
  Dependences dependences;
  add_identity(context, dependences, from);
  return dependences;
}

// The index along the dimension counts within a chunk. Several chunks lie side by side in the
// operand, and the element may come from any of them.
absl::StatusOr<Dependences> from_chunks(const OperationContext& context, OperandLeaf from,
                                        int64_t dimension, int64_t chunk) {
  const Dims& in = context.sizes(from);
  Dependences dependences;
  if (has_no_elements(in) || has_no_elements(context.output)) return dependences;
  MapBuilder m(context.output);
  for (int64_t d = 0; d < std::ssize(in); ++d) {
    const NodeId e = m.dimension(d);
    m.result(d != dimension ? e : m.plus(m.times(m.range(in[d] / chunk), chunk), m.mod(e, chunk)));
  }
  TRY(add_dependence(context, dependences, from, m, Form::kToSimplify, true));
  return dependences;
}

}  // namespace

// The operands of all replicas, side by side.
absl::StatusOr<Dependences> dependences_of(const op::AllGather& gather,
                                           const OperationContext& context) {
  const op::CollectivePart& part = gather.parts[context.leaf];
  return from_chunks(context, part.from, gather.dimension, part.operand[gather.dimension]);
}

absl::StatusOr<Dependences> dependences_of(const op::ReduceScatter& scatter,
                                           const OperationContext& context) {
  const op::CollectivePart& part = scatter.parts[context.leaf];
  return from_chunks(context, part.from, scatter.dimension, part.result[scatter.dimension]);
}

// Elements at one index of all replicas are reduced, or one of them is taken.
absl::StatusOr<Dependences> dependences_of(const op::AllReduce& reduce,
                                           const OperationContext& context) {
  return passed(context, reduce.parts[context.leaf].from);
}

absl::StatusOr<Dependences> dependences_of(const op::CollectivePermute& permute,
                                           const OperationContext& context) {
  return passed(context, permute.parts[context.leaf].from);
}

// The dimension consists of chunks, one for each replica.
absl::StatusOr<Dependences> dependences_of(const op::ArrayAllToAll& all_to_all,
                                           const OperationContext& context) {
  const int64_t d = all_to_all.dimension;
  return from_chunks(context, {0, 0}, d, all_to_all.dims[d] / all_to_all.chunks);
}

// One operand for each replica. The element may come from any of them.
absl::StatusOr<Dependences> dependences_of(const op::TupleAllToAll& all_to_all,
                                           const OperationContext& context) {
  Dependences dependences;
  for (const OperandLeaf from : all_to_all.operands) add_identity(context, dependences, from);
  return dependences;
}

}  // namespace tileproof::impl

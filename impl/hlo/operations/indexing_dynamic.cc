// SPDX-License-Identifier: Apache-2.0
// Operations with offsets: dynamic-slice, dynamic-update-slice.

#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

// Declares a runtime variable for each offset, clamped so that the window lies within `sizes`.
void declare_offsets(const OperationContext& context, Dependences& dependences,
                     const op::Offsets& offsets, const Dims& sizes, const Dims& window) {
  AccessRelation declared;
  MapBuilder m(context.output);
  for (int32_t d = 0; d < std::ssize(sizes); ++d) {
    const int32_t operand = offsets.in_vector ? offsets.first : offsets.first + d;
    if (offsets.in_vector) m.result(m.constant(d));
    const HloPosition position{{}, context.operand(operand), 0};
    declared.runtime.push_back(
        {position, offsets.in_vector ? 1 : 0, Interval{0, sizes[d] - window[d]}});
  }
  declared.map = m.take();
  dependences.declared = std::make_shared<const AccessRelation>(std::move(declared));
}

NodeId runtime_of(MapBuilder& m, const Dependences& dependences, size_t d) {
  return m.runtime(dependences.declared->runtime[d].feasible);
}

// Every offset flows everywhere, also one with a single legal value (docs/manual.md).
void add_offsets(const OperationContext& context, Dependences& dependences,
                 const op::Offsets& offsets) {
  for (int32_t k = 0; k < offsets.count; ++k) {
    add_universe(context, dependences, {offsets.first + k});
  }
}

}  // namespace

// out[o] = in[rt + o]
absl::StatusOr<Dependences> dependences_of(const op::DynamicSlice& slice,
                                           const OperationContext& context) {
  Dependences dependences;
  declare_offsets(context, dependences, slice.offsets, slice.operand, slice.result);
  MapBuilder m(context.output);
  for (size_t d = 0; d < slice.operand.size(); ++d) {
    m.result(m.plus(m.dimension(static_cast<int64_t>(d)), runtime_of(m, dependences, d)));
  }
  TRY(add_dependence(context, dependences, {0}, m));
  add_offsets(context, dependences, slice.offsets);
  return dependences;
}

namespace {

// Elements of operand 0 stay if some dimension lies before or behind the window.
absl::Status add_outside(const OperationContext& context, Dependences& dependences,
                         const op::DynamicUpdateSlice& slice) {
  const Dims &sizes = slice.operand, &update = slice.update;
  if (has_no_elements(update)) {
    add_identity(context, dependences, {0});
    return absl::OkStatus();
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (update[d] == sizes[d]) continue;
    for (const Interval outside :
         {Interval{update[d] - sizes[d], -1}, Interval{update[d], sizes[d] - 1}}) {
      MapBuilder m(context.output);
      std::vector<NodeId> rt;
      for (size_t i = 0; i < sizes.size(); ++i) {
        rt.push_back(runtime_of(m, dependences, i));
        m.result(m.dimension(static_cast<int64_t>(i)));
      }
      m.require(m.minus(m.dimension(static_cast<int64_t>(d)), rt[d]), outside);
      TRY(add_dependence(context, dependences, {0}, m));
    }
  }
  return absl::OkStatus();
}

}  // namespace

// Operand 0 with the update at rt.
absl::StatusOr<Dependences> dependences_of(const op::DynamicUpdateSlice& slice,
                                           const OperationContext& context) {
  Dependences dependences;
  declare_offsets(context, dependences, slice.offsets, slice.operand, slice.update);
  TRY(add_outside(context, dependences, slice));
  MapBuilder m(context.output);
  for (size_t d = 0; d < slice.operand.size(); ++d) {
    const NodeId e = m.minus(m.dimension(static_cast<int64_t>(d)), runtime_of(m, dependences, d));
    m.require(e, {0, slice.update[d] - 1});
    m.result(e);
  }
  TRY(add_dependence(context, dependences, {1}, m));
  add_offsets(context, dependences, slice.offsets);
  return dependences;
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Operations with windows: reduce-window, convolution, select-and-scatter.
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

// The element of a dimension that lies under tap `tap` of the window at position `at`. Requires
// that there is one: not in padding, not in a hole.
NodeId element_under(MapBuilder& m, const WindowDimension& w, int64_t size, NodeId at, NodeId tap) {
  const NodeId position =
      m.plus(m.plus(m.times(at, w.stride), m.times(tap, w.rhs_dilate)), -w.pad_low);
  m.require(position, {0, (size - 1) * w.lhs_dilate});
  if (w.lhs_dilate > 1) m.require(m.mod(position, w.lhs_dilate), {0, 0});
  return m.floordiv(position, w.lhs_dilate);
}

}  // namespace

// The computation takes the elements under the window of all inputs, and all inits.
absl::StatusOr<Dependences> dependences_of(const op::ReduceWindow& reduce,
                                           const OperationContext& context) {
  const Dims& in = reduce.operand;
  Dependences dependences;
  for (int32_t k = 0; k < reduce.inputs; ++k) {
    if (!has_no_elements(in)) {
      MapBuilder m(context.output);
      for (size_t d = 0; d < in.size(); ++d) {
        const WindowDimension& w = reduce.window[d];
        const NodeId tap = m.range(w.size);
        m.result(element_under(m, w, in[d], m.dimension(static_cast<int64_t>(d)), tap));
      }
      TRY(add_dependence(context, dependences, {k}, m, Form::kToSimplify));
    }
    add_universe(context, dependences, {reduce.inputs + k});
  }
  return dependences;
}

namespace {

// Elements of input and kernel meet at every tap that lies on an element of the input.
absl::Status add_convolution(const OperationContext& context, Dependences& dependences,
                             const op::Convolution& c, bool of_kernel) {
  const auto& n = c.numbers;
  MapBuilder m(context.output);
  std::vector<NodeId> input(c.input.size()), kernel(c.kernel.size());
  for (size_t k = 0; k < c.window.size(); ++k) {
    const WindowDimension& w = c.window[k];
    const NodeId tap = m.range(w.size);
    input[n.input_spatial[k]] =
        element_under(m, w, c.input[n.input_spatial[k]], m.dimension(n.output_spatial[k]), tap);
    kernel[n.kernel_spatial[k]] = w.rhs_reversal ? m.plus(m.times(tap, -1), w.size - 1) : tap;
  }
  const NodeId feature = m.dimension(n.output_feature);
  const int64_t outputs = c.result[n.output_feature];
  const int64_t inner = c.kernel[n.kernel_input_feature];
  const NodeId summed = m.range(inner);
  kernel[n.kernel_input_feature] = summed;
  kernel[n.kernel_output_feature] = feature;
  const NodeId group = m.floordiv(feature, outputs / c.feature_groups);
  input[n.input_feature] = m.plus(m.times(group, inner), summed);
  const NodeId batch = m.dimension(n.output_batch);
  const NodeId batch_group = m.floordiv(feature, outputs / c.batch_groups);
  input[n.input_batch] = m.plus(m.times(batch_group, c.result[n.output_batch]), batch);
  for (NodeId result : of_kernel ? kernel : input) m.result(result);
  return add_dependence(context, dependences, {of_kernel ? 1 : 0}, m, Form::kToSimplify);
}

}  // namespace

// If the input has no elements, the relation to the kernel has a condition that never holds.
absl::StatusOr<Dependences> dependences_of(const op::Convolution& convolution,
                                           const OperationContext& context) {
  Dependences dependences;
  if (has_no_elements(context.output)) return dependences;
  TRY(add_convolution(context, dependences, convolution, false));
  TRY(add_convolution(context, dependences, convolution, true));
  return dependences;
}

namespace {

// The source elements whose windows lie over the result element, or the operand elements in these
// windows: the choice was made among them.
absl::Status add_selected(const OperationContext& context, Dependences& dependences,
                          const op::SelectAndScatter& select, bool of_source) {
  MapBuilder m(context.output);
  for (size_t d = 0; d < select.source.size(); ++d) {
    const WindowDimension& w = select.window[d];
    const NodeId start = m.plus(
        m.plus(m.dimension(static_cast<int64_t>(d)), m.times(m.range(w.size), -w.rhs_dilate)),
        w.pad_low);
    m.require(start, {0, (select.source[d] - 1) * w.stride});
    if (w.stride > 1) m.require(m.mod(start, w.stride), {0, 0});
    const NodeId e = m.floordiv(start, w.stride);
    m.result(of_source ? e : element_under(m, w, select.operand[d], e, m.range(w.size)));
  }
  return add_dependence(context, dependences, {of_source ? 1 : 0}, m, Form::kToSimplify);
}

}  // namespace

absl::StatusOr<Dependences> dependences_of(const op::SelectAndScatter& select,
                                           const OperationContext& context) {
  Dependences dependences;
  if (!has_no_elements(select.source)) {
    TRY(add_selected(context, dependences, select, false));
    TRY(add_selected(context, dependences, select, true));
  }
  add_universe(context, dependences, {2});
  return dependences;
}

}  // namespace tileproof::impl

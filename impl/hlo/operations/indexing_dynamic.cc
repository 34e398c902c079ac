// Operations with offsets: dynamic-slice, dynamic-update-slice.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

std::string text_of(const Dims& sizes) { return absl::StrCat("[", absl::StrJoin(sizes, ","), "]"); }

// One scalar for each dimension from operand `first` on, or, as in old texts, one vector. Declares
// the runtime variables: the window is clamped to lie within `sizes`.
absl::Status declare_offsets(const Operation& op, Dependences& dependences, int32_t first,
                             const Dims& sizes, const Dims& window) {
  const int32_t count = op.operands() - first;
  const auto rank = static_cast<int32_t>(sizes.size());
  Dims offsets;
  if (count == 1) {
    offsets = TRY(operand_sizes(op, first));
  }
  const bool is_vector = offsets == Dims{rank};
  if (!is_vector && count != rank) {
    return wrong(op, "expected an offset for each of ", rank, " dimensions, found ", count);
  }
  AccessRelation declared;
  MapBuilder m(op.output);
  for (int32_t d = 0; d < rank; ++d) {
    const int32_t operand = is_vector ? first : first + d;
    const auto scalar = TRY(operand_sizes(op, operand));
    if (!is_vector && !scalar.empty()) {
      return wrong(op, "expected operand ", operand, " to be a scalar");
    }
    if (window[d] > sizes[d]) {
      return wrong(op, "expected a window of at most ", sizes[d], " in dimension ", d, ", found ",
                   window[d]);
    }
    const Interval feasible{0, sizes[d] - window[d]};
    if (is_vector) m.result(m.constant(d));
    const HloPosition position{{}, op.instruction.operands[operand].instruction, 0};
    declared.runtime.push_back({position, is_vector ? 1 : 0, feasible});
  }
  declared.map = m.take();
  dependences.declared = std::make_shared<const AccessRelation>(std::move(declared));
  return absl::OkStatus();
}

NodeId runtime_of(MapBuilder& m, const Dependences& dependences, size_t d) {
  return m.runtime(dependences.declared->runtime[d].feasible);
}

void add_offsets(const Operation& op, Dependences& dependences, int32_t first) {
  for (int32_t k = first; k < op.operands(); ++k) add_universe(op, dependences, k, 0, "");
}

}  // namespace

// out[o] = in[rt + o]
absl::StatusOr<Dependences> dynamic_slice_dependences(const Operation& op) {
  const auto in = TRY(operand_sizes(op, 0));
  const auto sizes = TRY(in.empty() ? integers_of(op.instruction, "dynamic_slice_sizes", {})
                                    : integers_of(op.instruction, "dynamic_slice_sizes"));
  if (sizes != op.output || in.size() != op.output.size()) {
    return wrong(op, "expected a result of dynamic_slice_sizes and of rank ", in.size(), ", found ",
                 text_of(op.output));
  }
  Dependences dependences;
  TRY(declare_offsets(op, dependences, 1, in, op.output));
  MapBuilder m(op.output);
  for (size_t d = 0; d < in.size(); ++d) {
    m.result(m.plus(m.dimension(static_cast<int64_t>(d)), runtime_of(m, dependences, d)));
  }
  TRY(add_dependence(op, dependences, 0, m, in));
  add_offsets(op, dependences, 1);
  return dependences;
}

namespace {

// Operand 0 stays where some dimension lies before or behind the window.
absl::Status add_outside(const Operation& op, Dependences& dependences, const Dims& update) {
  const Dims& sizes = op.output;
  if (has_no_elements(update)) {
    add_identity(op, dependences, 0);
    return absl::OkStatus();
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (update[d] == sizes[d]) continue;
    for (const Interval outside :
         {Interval{update[d] - sizes[d], -1}, Interval{update[d], sizes[d] - 1}}) {
      MapBuilder m(op.output);
      std::vector<NodeId> rt;
      for (size_t i = 0; i < sizes.size(); ++i) {
        rt.push_back(runtime_of(m, dependences, i));
        m.result(m.dimension(static_cast<int64_t>(i)));
      }
      m.require(m.minus(m.dimension(static_cast<int64_t>(d)), rt[d]), outside);
      TRY(add_dependence(op, dependences, 0, m, sizes));
    }
  }
  return absl::OkStatus();
}

}  // namespace

// Operand 0 with the update at rt.
absl::StatusOr<Dependences> dynamic_update_slice_dependences(const Operation& op) {
  const auto in = TRY(operand_sizes(op, 0)), update = TRY(operand_sizes(op, 1));
  if (in != op.output || update.size() != in.size()) {
    return wrong(op, "expected a result of dimensions ", text_of(in),
                 " and an update of that rank, found ", text_of(op.output), " and ",
                 text_of(update));
  }
  Dependences dependences;
  TRY(declare_offsets(op, dependences, 2, in, update));
  TRY(add_outside(op, dependences, update));
  MapBuilder m(op.output);
  std::vector<NodeId> index;
  for (size_t d = 0; d < in.size(); ++d) {
    const NodeId e = m.minus(m.dimension(static_cast<int64_t>(d)), runtime_of(m, dependences, d));
    m.require(e, {0, update[d] - 1});
    m.result(e);
  }
  TRY(add_dependence(op, dependences, 1, m, update));
  add_offsets(op, dependences, 2);
  return dependences;
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
#include "impl/hlo/operations/operation_handler.h"

#include <algorithm>
#include <utility>

#include "impl/hlo/operations/loop_counter.h"
#include "impl/map/extraction/render_expr.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {

ComputationView view_of(const HloModule& module, int32_t computation) {
  ComputationView view{
      &module, computation, shapes_of(module.computations[computation]), {}, {}, {}, {}, nullptr};
  view.operations.resize(view.shapes.size());
  for (const ShapeLeaves& shape : view.shapes) {
    view.first_leaf.push_back(static_cast<int32_t>(view.sizes.size()));
    for (const Leaf& leaf : shape.leaves) view.sizes.push_back(leaf.dims);
  }
  return view;
}

absl::Status wrong(const OperationContext& context, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(context.instruction().name, ": ", what));
}

bool has_no_elements(const Dims& sizes) { return std::ranges::count(sizes, 0) > 0; }

std::optional<int64_t> element_count(const Dims& sizes) {
  std::optional<int64_t> count = has_no_elements(sizes) ? 0 : 1;
  for (int64_t size : sizes) {
    if (count) count = checked_mul(*count, size);
  }
  return count;
}

absl::Status add_dependence(const OperationContext& context, Dependences& dependences,
                            OperandLeaf operand, MapBuilder& map, Form form, bool onto) {
  if (map.failed()) return wrong(context, "expected sizes that fit 64 signed bits");
  const Dims& sizes = context.sizes(operand);
  const bool empty = std::ranges::any_of(
      map.map().dimensions, [](const Variable& v) { return v.bounds.low > v.bounds.high; });
  if (empty || has_no_elements(sizes)) return absl::OkStatus();
  AccessRelation relation;
  relation.map = map.take();
  relation.rank = static_cast<int32_t>(sizes.size());
  relation.onto = onto;
  if (!relation.map.runtime.empty()) {
    relation.runtime = dependences.declared->runtime;
    // The declaration says which elements the runtime variables are.
    const IndexingMap& from = dependences.declared->map;
    for (NodeId result : from.results) {
      relation.map.results.push_back(copy_tree(from.nodes, result, relation.map.nodes));
    }
  }
  if (form == Form::kToSimplify) {
    relation.written = std::make_shared<const IndexingMap>(relation.map);
  }
  AccessRelationPtr done = form == Form::kToSimplify
                               ? simplified(std::move(relation), context.output, sizes)
                               : finish(std::move(relation), context.output, sizes);
  if (done) dependences.dependences.push_back({operand.operand, operand.leaf, std::move(done)});
  return absl::OkStatus();
}

absl::StatusOr<Dependences> only_dependence(const OperationContext& context, MapBuilder& map,
                                            Form form, bool onto) {
  Dependences dependences;
  TRY(add_dependence(context, dependences, {0}, map, form, onto));
  return dependences;
}

void add_identity(const OperationContext& context, Dependences& dependences, OperandLeaf operand) {
  if (has_no_elements(context.output)) return;
  dependences.dependences.push_back(
      {operand.operand, operand.leaf, identity_relation(context.output)});
}

void add_universe(const OperationContext& context, Dependences& dependences, OperandLeaf operand,
                  const std::string& reason) {
  const Dims& sizes = context.sizes(operand);
  if (has_no_elements(sizes) || has_no_elements(context.output)) return;
  AccessRelationPtr all = reason.empty() ? universe_relation(context.output, sizes)
                                         : universe_because(reason, context.output, sizes);
  dependences.dependences.push_back({operand.operand, operand.leaf, std::move(all)});
}

Dependences conservatively(const OperationContext& context, const std::string& reason) {
  Dependences dependences;
  dependences.conservative = reason;
  for (int32_t k = 0; k < context.operands(); ++k) {
    const auto leaves = static_cast<int32_t>(context.view.shapes[context.operand(k)].leaves.size());
    for (int32_t leaf = 0; leaf < leaves; ++leaf) {
      add_universe(context, dependences, {k, leaf}, reason);
    }
  }
  return dependences;
}

absl::StatusOr<Dependences> dependences_of(const op::Any& operation,
                                           const OperationContext& context) {
  const auto handle = [&context]<class Operation>(const Operation& checked) {
    // The cast finds the handler of exactly this type, and not this function again.
    return static_cast<OperationHandler<Operation>*>(dependences_of)(checked, context);
  };
  return std::visit(handle, operation);
}

absl::StatusOr<Dependences> dependences_of(ComputationView& view, int32_t instruction, int32_t leaf,
                                           const Summaries& summaries) {
  auto& operation = view.operations[instruction];
  if (!operation) {
    operation = std::make_unique<const absl::StatusOr<op::Any>>(
        checked_operation(*view.module, view.computation(), instruction, view.shapes));
  }
  TRY(operation->status());
  const Dims& output = view.sizes[view.first_leaf[instruction] + leaf];
  OperationContext context{view, instruction, leaf, output, summaries};
  if (std::holds_alternative<op::While>(**operation)) {
    context.counters = &view.counters[instruction];
  }
  auto found = dependences_of(**operation, context);
  if (found.ok()) {
    const std::string reason = runtime_size_reason(**operation, context, *found);
    if (!reason.empty()) found = conservatively(context, reason);
  }
  if (leaf + 1 == std::ssize(view.shapes[instruction].leaves)) {
    operation.reset();
    view.counters.erase(instruction);
  }
  return found;
}

}  // namespace tileproof::impl

#include "impl/hlo/operations/operation_handler.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "impl/map/extraction/render_expr.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

void append_leaves(const Shape& shape, std::vector<const Shape*>& leaves) {
  if (shape.kind == Shape::Kind::kArray) {
    leaves.push_back(&shape);
  } else {
    for (const Shape& part : shape.parts) append_leaves(part, leaves);
  }
}

}  // namespace

Leaves leaves_of(const Shape& shape) {
  Leaves leaves;
  if (shape.kind != Shape::Kind::kTuple) {
    append_leaves(shape, leaves.shapes);
    return leaves;
  }
  for (const Shape& part : shape.parts) {
    leaves.parts.push_back(static_cast<int32_t>(leaves.shapes.size()));
    append_leaves(part, leaves.shapes);
  }
  leaves.parts.push_back(static_cast<int32_t>(leaves.shapes.size()));
  return leaves;
}

ComputationView view_of(const HloModule& module, int32_t computation) {
  ComputationView view{&module, computation, {}, {}, {}, {}};
  const std::vector<HloInstruction>& instructions = module.computations[computation].instructions;
  view.leaves.resize(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].shape) view.leaves[i] = leaves_of(*instructions[i].shape);
    for (const HloOperand& operand : instructions[i].operands) {
      // A shape may be written only where it is used; else that of the instruction counts.
      if (operand.shape && view.leaves[operand.instruction].shapes.empty()) {
        view.leaves[operand.instruction] = leaves_of(*operand.shape);
      }
    }
  }
  int32_t next = 0;
  for (const Leaves& leaves : view.leaves) {
    bool unknown = false;
    view.first_leaf.push_back(next);
    next += static_cast<int32_t>(leaves.shapes.size());
    for (const Shape* shape : leaves.shapes) {
      absl::StatusOr<Dims> sizes = sizes_of(*shape);
      unknown |= !sizes.ok();
      view.sizes.push_back(sizes.ok() ? *std::move(sizes) : Dims{});
    }
    view.has_unknown.push_back(unknown ? 1 : 0);
  }
  return view;
}

absl::Status wrong(const Operation& op, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(op.instruction.name, ": ", what));
}

absl::StatusOr<Dims> sizes_of(const Shape& array) {
  Dims sizes;
  for (const Dimension& dimension : array.dimensions) {
    if (dimension.kind == Dimension::Kind::kUnbounded) {
      return absl::InvalidArgumentError("expected dimensions of known size, found ?");
    }
    sizes.push_back(dimension.size);
  }
  if (!has_elements(array.element_type)) sizes = {0};
  return sizes;
}

absl::StatusOr<Dims> operand_sizes(const Operation& op, int32_t operand) {
  if (operand >= op.operands()) return wrong(op, "expected operand ", operand);
  const Leaves& leaves = op.leaves(operand);
  if (!leaves.parts.empty()) {
    return wrong(op, "expected operand ", operand, " to be an array");
  }
  return op.sizes(operand, 0);
}

absl::Status expect_operands(const Operation& op, int64_t at_least, int64_t at_most) {
  if (at_least <= op.operands() && op.operands() <= at_most) return absl::OkStatus();
  return wrong(op, "expected ", at_least, at_most == at_least ? "" : absl::StrCat(" to ", at_most),
               " operands, found ", op.operands());
}

bool has_no_elements(const Dims& sizes) { return std::ranges::count(sizes, 0) > 0; }

std::optional<int64_t> element_count(const Dims& sizes) {
  std::optional<int64_t> count = has_no_elements(sizes) ? 0 : 1;
  for (int64_t size : sizes) {
    if (count) count = checked_mul(*count, size);
  }
  return count;
}

absl::Status expect_dimensions(const Operation& op, absl::string_view what,
                               const std::vector<int64_t>& dimensions, size_t rank) {
  std::vector<char> seen(rank, 0);
  for (int64_t d : dimensions) {
    if (d < 0 || d >= static_cast<int64_t>(rank) || seen[d]) {
      return wrong(op, "expected ", what, " to be different dimensions below ", rank, ", found {",
                   absl::StrJoin(dimensions, ","), "}");
    }
    seen[d] = 1;
  }
  return absl::OkStatus();
}

absl::Status add_dependence(const Operation& op, Dependences& dependences, int32_t operand,
                            MapBuilder& map, const Dims& sizes, Form form, bool onto) {
  if (map.failed()) return wrong(op, "expected sizes that fit 64 signed bits");
  const bool empty = std::ranges::any_of(
      map.map().dimensions, [](const Variable& v) { return v.bounds.low > v.bounds.high; });
  if (empty || has_no_elements(sizes)) return absl::OkStatus();
  AccessRelation relation;
  relation.map = map.take();
  relation.rank = static_cast<int32_t>(sizes.size());
  relation.onto = onto;
  if (!relation.map.runtime.empty()) {
    relation.runtime = dependences.declared->runtime;
    // The elements that the values are: copied from the declaration.
    const IndexingMap& from = dependences.declared->map;
    for (NodeId result : from.results) {
      relation.map.results.push_back(copy_tree(from.nodes, result, relation.map.nodes));
    }
  }
  if (form == Form::kToSimplify) {
    relation.written = std::make_shared<const IndexingMap>(relation.map);
  }
  AccessRelationPtr done = form == Form::kToSimplify
                               ? simplified(std::move(relation), op.output, sizes)
                               : finish(std::move(relation), op.output, sizes);
  if (done) dependences.dependences.push_back({operand, 0, std::move(done)});
  return absl::OkStatus();
}

void add_identity(const Operation& op, Dependences& dependences, int32_t operand, int32_t leaf) {
  if (has_no_elements(op.output)) return;
  dependences.dependences.push_back({operand, leaf, identity_relation(op.output)});
}

void add_universe(const Operation& op, Dependences& dependences, int32_t operand, int32_t leaf,
                  const std::string& reason) {
  const Dims& sizes = op.sizes(operand, leaf);
  if (has_no_elements(sizes) || has_no_elements(op.output)) return;
  AccessRelationPtr all = universe_relation(op.output, sizes);
  if (!reason.empty()) {
    AccessRelation marked = *all;
    marked.inexact = true;
    marked.reason = reason;
    all = finish(std::move(marked), op.output, sizes);
  }
  dependences.dependences.push_back({operand, leaf, std::move(all)});
}

absl::Status add_scalar(const Operation& op, Dependences& dependences, int32_t operand) {
  const Dims sizes = TRY(operand_sizes(op, operand));
  if (!sizes.empty()) return wrong(op, "expected operand ", operand, " to be a scalar");
  add_universe(op, dependences, operand, 0, "");
  return absl::OkStatus();
}

Dependences conservatively(const Operation& op, const std::string& reason) {
  Dependences dependences;
  dependences.conservative = reason;
  for (int32_t k = 0; k < op.operands(); ++k) {
    for (size_t leaf = 0; leaf < op.leaves(k).shapes.size(); ++leaf) {
      add_universe(op, dependences, k, static_cast<int32_t>(leaf), reason);
    }
  }
  return dependences;
}

}  // namespace tileproof::impl

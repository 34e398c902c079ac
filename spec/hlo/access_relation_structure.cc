// Operations that pass values on as they are: tuples, calls, copies and asynchronous ones.
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation_parts.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {

absl::StatusOr<AccessRelation> tuple(const Operation& op, int64_t leaf) {
  const std::vector<OperandLeaf> leaves = operand_leaves(op);
  if (leaves.size() != op.result.size()) {
    return expected(
        op, absl::StrCat("a tuple of ", leaves.size(), " arrays, found ", op.result.size()));
  }
  return passed_on(op, leaf, leaves[leaf].operand, leaves[leaf].leaf);
}

absl::StatusOr<AccessRelation> get_tuple_element(const Operation& op, int64_t leaf) {
  TRY(expect_operands(op, 1, 1));
  const int64_t index = TRY(integer_of(op.instruction, "index"));
  const Shape& shape = *op.operand_shapes[0];
  if (shape.kind != Shape::Kind::kTuple || index >= std::ssize(shape.parts)) {
    return expected(op, absl::StrCat("a tuple with part ", index));
  }
  int64_t before = 0;
  for (int64_t part = 0; part <= index; ++part) {
    const std::vector<Leaf> leaves = TRY(leaves_of(shape.parts[part]));
    if (part < index) {
      before += std::ssize(leaves);
    } else if (leaves.size() != op.result.size()) {
      return expected(op, absl::StrCat("a result of the shape of part ", index));
    }
  }
  return passed_on(op, leaf, 0, before + leaf);
}

// Operand 0 as it is: optimization-barrier, domain, add-dependency, copy of a tuple.
absl::StatusOr<AccessRelation> pass(const Operation& op, int64_t leaf) {
  const int64_t operands = op.instruction.opcode == HloOpcode::kAddDependency ? 2 : 1;
  TRY(expect_operands(op, operands, operands));
  if (op.operands[0].size() != op.result.size()) {
    return expected(op, "a result of the shape of the operand");
  }
  return passed_on(op, leaf, 0, leaf);
}

// All elements of all operands, everywhere, by definition.
absl::StatusOr<AccessRelation> everywhere(const Operation& op, int64_t) {
  return conservative(op, "");
}

namespace {

// The leaves of the root of a computation, if it fits: its parameters are the operands.
absl::StatusOr<std::vector<Leaf>> leaves_of_root(const Operation& op,
                                                 const HloComputation& computation) {
  const auto complaint = [&](const absl::Status& status) {
    return absl::InvalidArgumentError(
        absl::StrCat(op.instruction.name, ": in ", computation.name, ": ", status.message()));
  };
  const std::vector<int32_t> parameters = parameters_of(computation);
  if (std::ssize(parameters) != op.operand_count()) {
    return expected(op,
                    absl::StrCat("an operand for each of ", parameters.size(), " parameters of ",
                                 computation.name, ", found ", op.operand_count()));
  }
  for (size_t k = 0; k < parameters.size(); ++k) {
    const SharedShape& shape = computation.instructions[parameters[k]].shape;
    if (!shape) return expected(op, absl::StrCat("a shape of parameter ", k));
    const absl::StatusOr<std::vector<Leaf>> leaves = leaves_of(*shape);
    if (!leaves.ok()) return complaint(leaves.status());
    bool same_dims = leaves->size() == op.operands[k].size();
    for (size_t i = 0; same_dims && i < leaves->size(); ++i) {
      same_dims = (*leaves)[i].dims == op.operands[k][i].dims;
    }
    if (!same_dims) {
      return expected(
          op, absl::StrCat("operand ", k, " of the shape of the parameter of ", computation.name));
    }
  }
  const SharedShape& root = computation.instructions[computation.root].shape;
  if (!root) return expected(op, absl::StrCat("a shape of the root of ", computation.name));
  absl::StatusOr<std::vector<Leaf>> leaves = leaves_of(*root);
  if (!leaves.ok()) return complaint(leaves.status());
  return leaves;
}

// Result leaf `leaf` is leaf `inner` of the root of the computation.
absl::StatusOr<AccessRelation> entered(const Operation& op, int64_t leaf, int32_t computation,
                                       int64_t inner) {
  const std::vector<Leaf> leaves = TRY(leaves_of_root(op, op.module.computations[computation]));
  if (inner >= std::ssize(leaves) || leaves[inner].dims != op.result[leaf].dims) {
    return expected(op, absl::StrCat("part ", leaf, " of the result to be that of the root of ",
                                     op.module.computations[computation].name));
  }
  return AccessRelation{.callee = Callee{computation, inner}};
}

std::optional<int32_t> only_computation(const Operation& op) {
  for (const char* attribute : {"calls", "to_apply", "called_computations"}) {
    const std::vector<int32_t> called = called_computations(op.instruction, attribute);
    if (called.size() == 1 && called[0] >= 0) return called[0];
  }
  return std::nullopt;
}

}  // namespace

// Fusions and calls.
absl::StatusOr<AccessRelation> call(const Operation& op, int64_t leaf) {
  const std::optional<int32_t> computation = only_computation(op);
  if (!computation) {
    return conservative(
        op, absl::StrCat(op.instruction.opcode_text, " of a computation that is not in the text"));
  }
  return entered(op, leaf, *computation, leaf);
}

// (copy, operand, context)
absl::StatusOr<AccessRelation> copy_start(const Operation& op, int64_t leaf) {
  TRY(expect_operands(op, 1, 1));
  const int64_t count = std::ssize(op.operands[0]);
  if (leaf < 2 * count) return passed_on(op, leaf, 0, leaf % count);
  return AccessRelation{};
}

absl::StatusOr<AccessRelation> copy_done(const Operation& op, int64_t leaf) {
  return passed_on(op, leaf, 0, leaf);
}

namespace {

// `add-start(a, b)`: the operation itself, with the second part of the shape as its result.
absl::StatusOr<AccessRelation> wrapped_start(const Operation& op, int64_t leaf, int64_t before) {
  const Shape& shape = *op.instruction.shape;
  if (shape.kind != Shape::Kind::kTuple || shape.parts.size() < 2) {
    return expected(op, "a result that is (operands, results, ..)");
  }
  HloInstruction inner = op.instruction;
  inner.opcode = wrapped_opcode(op.instruction.opcode_text);
  inner.opcode_text = std::string(name_of(inner.opcode));
  inner.shape = SharedShape(shape.parts[1]);
  std::vector<Leaf> leaves = TRY(leaves_of(*inner.shape));
  if (leaf - before >= std::ssize(leaves)) return AccessRelation{};
  const Operation operation{op.module, inner, op.operand_shapes, op.operands, std::move(leaves)};
  return access_relation_of(operation, leaf - before);
}

}  // namespace

// ((operands), results, contexts)
absl::StatusOr<AccessRelation> async_start(const Operation& op, int64_t leaf) {
  const std::vector<OperandLeaf> leaves = operand_leaves(op);
  const int64_t before = std::ssize(leaves);
  if (leaf < before) return passed_on(op, leaf, leaves[leaf].operand, leaves[leaf].leaf);
  const HloOpcode wrapped = wrapped_opcode(op.instruction.opcode_text);
  if (wrapped != HloOpcode::kOther && wrapped != HloOpcode::kAsyncStart) {
    return wrapped_start(op, leaf, before);
  }
  const std::optional<int32_t> computation = only_computation(op);
  if (!computation) return conservative(op, "async-start of a computation that is not in the text");
  const std::vector<Leaf> root = TRY(leaves_of_root(op, op.module.computations[*computation]));
  if (leaf >= before + std::ssize(root)) return AccessRelation{};
  return entered(op, leaf, *computation, leaf - before);
}

absl::StatusOr<AccessRelation> async_update(const Operation& op, int64_t leaf) {
  return pass(op, leaf);
}

absl::StatusOr<AccessRelation> async_done(const Operation& op, int64_t leaf) {
  TRY(expect_operands(op, 1, 1));
  const Shape& start = *op.operand_shapes[0];
  if (start.parts.empty() || start.parts[0].kind != Shape::Kind::kTuple) {
    return expected(op, "an operand that is ((operands), results, ..)");
  }
  return start_done(op, leaf);
}

}  // namespace tileproof::spec

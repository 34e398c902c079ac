// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/operations/checked_op_parts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"

namespace tileproof::check {

std::string count_text(int64_t n, absl::string_view noun) {
  return absl::StrCat(n, " ", noun, n == 1 ? "" : "s");
}

absl::StatusOr<Dims> array_dims(const Instruction& in, int64_t operand) {
  if (operand >= in.operand_count()) {
    return expected(in, "operand ", operand, ", found ", count_text(in.operand_count(), "operand"));
  }
  if (in.operand_shapes[operand]->kind == Shape::Kind::kTuple) {
    return expected(in, "operand ", operand, " to be an array, found a tuple");
  }
  return in.operands[operand][0].dims;
}

absl::StatusOr<Dims> result_dims(const Instruction& in) {
  if (in.result_shape->kind == Shape::Kind::kTuple) {
    return expected(in, "the result to be an array, found a tuple");
  }
  return in.result[0].dims;
}

absl::StatusOr<Dims> only_operand(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  return array_dims(in, 0);
}

absl::Status expect_operands(const Instruction& in, int64_t low, int64_t high) {
  const int64_t count = in.operand_count();
  if (low <= count && count <= high) return absl::OkStatus();
  if (low == high) return expected(in, count_text(low, "operand"), ", found ", count);
  return expected(in, "at least ", count_text(low, "operand"), ", found ", count);
}

absl::Status expect_operand(const Instruction& in, int64_t operand, const Dims& dims) {
  const Dims found = TRY(array_dims(in, operand));
  if (found == dims) return absl::OkStatus();
  return expected(in, "operand ", operand, " of dimensions ", dims_text(dims), ", found ",
                  dims_text(found));
}

absl::Status expect_integers(const Instruction& in, int64_t operand) {
  const ElementType type = in.operands[operand][0].array->element_type;
  if (ElementType::kS1 <= type && type <= ElementType::kU64) return absl::OkStatus();
  return expected(in, "integers as operand ", operand, ", found ", info(type).name);
}

absl::Status expect_predicates(const Instruction& in, int64_t operand) {
  const ElementType type = in.operands[operand][0].array->element_type;
  if (type == ElementType::kPred) return absl::OkStatus();
  return expected(in, "pred as operand ", operand, ", found ", info(type).name);
}

absl::Status expect_result(const Instruction& in, const Dims& dims) {
  const Dims found = TRY(result_dims(in));
  if (found == dims) return absl::OkStatus();
  return expected(in, "a result of dimensions ", dims_text(dims), ", found ", dims_text(found));
}

absl::Status expect_part(const Instruction& in, int64_t part, const Dims& dims) {
  const Dims& found = in.result[part].dims;
  if (found == dims) return absl::OkStatus();
  return expected(in, "part ", part, " of the result of dimensions ", dims_text(dims), ", found ",
                  dims_text(found));
}

absl::Status expect_parts(const Instruction& in, const Dims& dims) {
  for (int64_t part = 0; part < std::ssize(in.result); ++part) TRY(expect_part(in, part, dims));
  return absl::OkStatus();
}

absl::Status expect_dimensions(const Instruction& in, absl::string_view what,
                               const std::vector<int64_t>& dimensions, int64_t rank) {
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (const int64_t d : dimensions) {
    if (d >= rank || seen[d]) {
      return expected(in, what, " to be different numbers below ", rank, ", found {",
                      absl::StrJoin(dimensions, ","), "}");
    }
    seen[d] = true;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> dimensions_unless_scalar(const Instruction& in,
                                                              const Dims& operand) {
  return operand.empty() ? integers_of(in.instruction, "dimensions", {})
                         : integers_of(in.instruction, "dimensions");
}

absl::StatusOr<int64_t> one_dimension(const Instruction& in, int64_t rank) {
  const std::vector<int64_t> dimensions = TRY(integers_of(in.instruction, "dimensions"));
  if (dimensions.size() != 1) {
    return expected(in, "1 number in dimensions, found ", dimensions.size());
  }
  TRY(expect_dimensions(in, "dimensions", dimensions, rank));
  return dimensions.front();
}

absl::StatusOr<int32_t> inputs_and_inits(const Instruction& in) {
  const int64_t inputs = in.operand_count() / 2;
  if (inputs < 1 || in.operand_count() % 2 != 0) {
    return expected(in, "an init for each input, found ",
                    count_text(in.operand_count(), "operand"));
  }
  if (std::ssize(in.result) != inputs) {
    return expected(in, count_text(inputs, "part"), " of the result, one for each input, found ",
                    in.result.size());
  }
  TRY(expect_on_scalars(in, "to_apply", 2 * inputs, inputs));
  const Dims first = TRY(array_dims(in, 0));
  for (int64_t k = 0; k < inputs; ++k) {
    TRY(expect_operand(in, k, first));
    TRY(expect_operand(in, inputs + k, {}));
  }
  return static_cast<int32_t>(inputs);
}

std::string leaves_text(absl::Span<const Leaf> leaves) {
  return absl::StrJoin(leaves, ",", [](std::string* out, const Leaf& leaf) {
    absl::StrAppend(out, dims_text(leaf.dims));
  });
}

absl::Status expect_on_scalars(const Instruction& in, absl::string_view attribute,
                               int64_t parameters, int64_t results) {
  for (const int32_t number : called_computations(in.instruction, attribute)) {
    if (number < 0) continue;
    const HloComputation& called = in.module.computations[number];
    Leaves taken, given;
    const auto add_leaves = [&](Leaves& to, int32_t instruction) -> absl::Status {
      const SharedShape& shape = called.instructions[instruction].shape;
      if (!shape) return expected(in, "shapes in ", called.name);
      for (Leaf& leaf : TRY(leaves_of(*shape))) to.push_back(std::move(leaf));
      return absl::OkStatus();
    };
    for (const int32_t parameter : parameters_of(called)) TRY(add_leaves(taken, parameter));
    TRY(add_leaves(given, called.root));
    const auto is_scalar = [](const Leaf& leaf) { return leaf.dims.empty(); };
    if (std::ssize(taken) != parameters || std::ssize(given) != results ||
        !std::ranges::all_of(taken, is_scalar) || !std::ranges::all_of(given, is_scalar)) {
      return expected(in, called.name, " to take ", count_text(parameters, "scalar"),
                      " and to give ", results, ", found ", leaves_text(taken), " and ",
                      leaves_text(given));
    }
  }
  return absl::OkStatus();
}

absl::Status expect_predicate_of(const Instruction& in, const HloComputation& computation) {
  const Leaves root = TRY(leaves_of(*computation.instructions[computation.root].shape));
  const ElementType type = root[0].array->element_type;
  if (type == ElementType::kPred) return absl::OkStatus();
  return expected(in, "pred[] as the root of ", computation.name, ", found ", info(type).name,
                  "[]");
}

absl::Status expect_predicate_on_scalars(const Instruction& in, absl::string_view attribute,
                                         int64_t parameters) {
  TRY(expect_on_scalars(in, attribute, parameters, 1));
  for (const int32_t called : called_computations(in.instruction, attribute)) {
    if (called >= 0) TRY(expect_predicate_of(in, in.module.computations[called]));
  }
  return absl::OkStatus();
}

int32_t leaf_count(const Shape& shape) {
  if (shape.kind == Shape::Kind::kArray) return 1;
  int32_t count = 0;
  for (const Shape& part : shape.parts) count += leaf_count(part);
  return count;
}

std::vector<OperandLeaf> operand_leaves(const Instruction& in) {
  std::vector<OperandLeaf> leaves;
  for (int32_t k = 0; k < in.operand_count(); ++k) {
    for (int32_t leaf = 0; leaf < std::ssize(in.operands[k]); ++leaf) leaves.push_back({k, leaf});
  }
  return leaves;
}

const Dims& dims_of(const Instruction& in, OperandLeaf leaf) {
  return in.operands[leaf.operand][leaf.leaf].dims;
}

absl::StatusOr<OperandLeaf> forwarded(const Instruction& in, int64_t part, OperandLeaf leaf) {
  if (leaf.leaf >= std::ssize(in.operands[leaf.operand])) {
    return expected(in, "an array in operand ", leaf.operand, " for part ", part,
                    " of the result, found none");
  }
  TRY(expect_part(in, part, dims_of(in, leaf)));
  return leaf;
}

absl::StatusOr<op::Any> forwarded_from(const Instruction& in, int64_t first) {
  op::Forward f;
  for (int64_t k = 0; k < std::ssize(in.result); ++k) {
    f.from.emplace_back(TRY(forwarded(in, k, {0, static_cast<int32_t>(first + k)})));
  }
  return f;
}

absl::Status expect_part_count(const Instruction& in, int64_t count) {
  if (std::ssize(in.result) == count) return absl::OkStatus();
  return expected(in, count_text(count, "part"), " of the result, found ", in.result.size());
}

}  // namespace tileproof::check

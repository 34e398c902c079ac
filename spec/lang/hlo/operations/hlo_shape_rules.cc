// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "spec/lang/hlo/operations/opcode_rules.h"
#include "spec/lang/hlo/operations/result_sizes.h"

namespace tileproof::infer {

absl::Status wrong(const Operation& op, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(op.instruction.name, ": ", what));
}

absl::Status cannot_infer(const Operation& op) {
  return wrong(op, absl::StrCat("expected a shape of the result: ", op.instruction.opcode_text,
                                " may have several"));
}

namespace {

using Dimensions = std::vector<Dimension>;

Shape array(ElementType type, Dimensions dimensions) {
  Shape shape;
  shape.element_type = type;
  shape.dimensions = std::move(dimensions);
  return shape;
}

Shape tuple(std::vector<Shape> parts) {
  Shape shape;
  shape.kind = Shape::Kind::kTuple;
  shape.parts = std::move(parts);
  return shape;
}

// One shape alone, several as a tuple.
Shape one_or_tuple(std::vector<Shape> parts) {
  return parts.size() == 1 ? std::move(parts.front()) : tuple(std::move(parts));
}

absl::StatusOr<const Shape*> array_operand(const Operation& op, int64_t k) {
  if (k < op.count() && op.operands[k]->kind == Shape::Kind::kArray) return op.operands[k];
  return wrong(op, absl::StrCat("expected an array as operand ", k));
}

absl::StatusOr<int64_t> fixed(const Operation& op, const Dimension& dimension) {
  if (dimension.kind == Dimension::Kind::kFixed) return dimension.size;
  return wrong(op, "expected a shape of the result: an operand's dimension is not of fixed size");
}

// The shape of the root of the first computation that the attribute names.
absl::StatusOr<Shape> root_of(const Operation& op, absl::string_view attribute) {
  const std::vector<int32_t> called = called_computations(op.instruction, attribute);
  if (called.empty() || called[0] < 0) {
    return wrong(op, absl::StrCat("expected ", attribute, " of a computation that is in the text"));
  }
  const HloComputation& computation = op.module.computations[called[0]];
  const SharedShape& shape = computation.instructions[computation.root].shape;
  if (!shape) return wrong(op, absl::StrCat("expected a shape of the root of ", computation.name));
  return *shape;
}

// Operand k without its layout, of another element type if one is given.
Result like(const Operation& op, int64_t k, std::optional<ElementType> type = std::nullopt) {
  const auto from = TRY(array_operand(op, k));
  return array(type.value_or(from->element_type), from->dimensions);
}

// The real type of the parts of a complex type. Other types stay.
ElementType part_of(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  return type == ElementType::kC128 ? ElementType::kF64 : type;
}

}  // namespace

Result like_first(const Operation& op) { return like(op, 0); }
Result like_second(const Operation& op) { return like(op, 1); }

namespace {

// Of operands 0, 1, ..: a dimension that is bounded in one of them is bounded in the result.
Result elementwise(const Operation& op, std::optional<ElementType> type = std::nullopt) {
  Shape result = TRY(like(op, 0, type));
  for (int64_t k = 1; k < op.count(); ++k) {
    const Shape* other = TRY(array_operand(op, k));
    if (other->rank() != result.rank()) return wrong(op, "expected operands of one rank");
    for (int64_t d = 0; d < result.rank(); ++d) {
      if (other->dimensions[d].kind == Dimension::Kind::kBounded) {
        result.dimensions[d] = other->dimensions[d];
      }
    }
  }
  return result;
}

}  // namespace

Result known_elementwise(const Operation& op) {
  return elementwise_operands(op.instruction.opcode) == 1 ? like_first(op) : elementwise(op);
}

Result predicate(const Operation& op) { return elementwise(op, ElementType::kPred); }

Result part(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  return like(op, 0, part_of(from->element_type));
}

Result complex(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  const ElementType type = from->element_type;
  if (type != ElementType::kF32 && type != ElementType::kF64) return cannot_infer(op);
  return elementwise(op, type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
}

Result map(const Operation& op) {
  const Result root = root_of(op, "to_apply");
  if (!root.ok()) return root.status();
  if (root->kind != Shape::Kind::kArray) return cannot_infer(op);
  return elementwise(op, root->element_type);
}

Result transpose(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  const auto order = TRY(integers_of(op.instruction, "dimensions", {}));
  Dimensions dimensions;
  for (const int64_t d : order) {
    if (d >= from->rank()) return wrong(op, "expected dimensions below the rank");
    dimensions.push_back(from->dimensions[d]);
  }
  if (std::ssize(dimensions) != from->rank()) return wrong(op, "expected every dimension");
  return array(from->element_type, std::move(dimensions));
}

Result slice(const Operation& op) {
  const Shape* from = TRY(array_operand(op, 0));
  Dimensions dimensions;
  for (const SliceLimits& limits : TRY(slice_of(op.instruction))) {
    const std::optional<int64_t> size = sliced_size(limits);
    if (!size) return wrong(op, "expected limits of at least the starts");
    dimensions.push_back({Dimension::Kind::kFixed, *size});
  }
  return array(from->element_type, std::move(dimensions));
}

Result pad(const Operation& op) {
  const Shape* from = TRY(array_operand(op, 0));
  const std::vector<PadLimits> limits = TRY(padding_of(op.instruction));
  if (std::ssize(limits) != from->rank()) return wrong(op, "expected padding of the rank");
  Dimensions dimensions;
  for (size_t d = 0; d < limits.size(); ++d) {
    const int64_t size = TRY(fixed(op, from->dimensions[d]));
    const std::optional<int64_t> padded = padded_size(limits[d], size);
    if (!padded) return wrong(op, "expected sizes that fit 64 signed bits");
    dimensions.push_back({Dimension::Kind::kFixed, std::max<int64_t>(*padded, 0)});
  }
  return array(from->element_type, std::move(dimensions));
}

Result concatenate(const Operation& op) {
  Shape result = TRY(like(op, 0));
  const std::vector<int64_t> along = TRY(integers_of(op.instruction, "dimensions"));
  if (along.size() != 1 || along.front() >= result.rank()) {
    return wrong(op, "expected one dimension below the rank");
  }
  const int64_t d = along.front();
  Dims sizes;
  for (int64_t k = 0; k < op.count(); ++k) {
    const Shape* operand = TRY(array_operand(op, k));
    if (operand->rank() != result.rank()) return wrong(op, "expected operands of one rank");
    sizes.push_back(TRY(fixed(op, operand->dimensions[d])));
  }
  const std::optional<int64_t> whole = concatenated_size(sizes);
  if (!whole) return wrong(op, "expected a size that fits 64 signed bits");
  result.dimensions[d].size = *whole;
  return result;
}

Result topk(const Operation& op) {
  const int64_t k = TRY(integer_of(op.instruction, "k"));
  Shape values = TRY(like(op, 0));
  if (values.rank() == 0) return wrong(op, "expected an array of a rank of at least 1");
  values.dimensions.back() = {Dimension::Kind::kFixed, k};
  Shape indices = array(ElementType::kS32, values.dimensions);
  return tuple({std::move(values), std::move(indices)});
}

// ---- Sums, windows, offsets and indices ----

namespace {

// The dimensions that are not in `gone`.
absl::StatusOr<Dimensions> without(const Operation& op, const Dimensions& dimensions,
                                   const std::vector<int64_t>& gone) {
  const Dimensions left = selected(dimensions, others(std::ssize(dimensions), gone));
  if (std::ssize(left) + std::ssize(gone) != std::ssize(dimensions)) {
    return wrong(op, "expected different dimensions below the rank");
  }
  return left;
}

// The element types of the parts of the result. They are those of the reducer's root.
absl::StatusOr<std::vector<ElementType>> reduced_types(const Operation& op) {
  const Result root = root_of(op, "to_apply");
  if (!root.ok()) return root.status();
  std::vector<ElementType> types;
  if (root->kind == Shape::Kind::kArray) return std::vector{root->element_type};
  for (const Shape& one : root->parts) types.push_back(one.element_type);
  return types;
}

Result of_types(const Operation& op, const Dimensions& dimensions) {
  const auto types = TRY(reduced_types(op));
  if (2 * std::ssize(types) != op.count()) return wrong(op, "expected a start for each array");
  std::vector<Shape> parts;
  for (const ElementType type : types) parts.push_back(array(type, dimensions));
  return one_or_tuple(std::move(parts));
}

absl::StatusOr<int64_t> positions_of(const Operation& op, const WindowDimension& w,
                                     const Dimension& dimension) {
  const std::optional<int64_t> positions = window_positions(w, TRY(fixed(op, dimension)));
  if (!positions) return wrong(op, "expected a window that fits 64 signed bits");
  return *positions;
}

}  // namespace

Result dot(const Operation& op) {
  const auto lhs = TRY(array_operand(op, 0)), rhs = TRY(array_operand(op, 1));
  const auto numbers = TRY(dot_numbers_of(op.instruction));
  if (lhs->element_type != rhs->element_type) return cannot_infer(op);
  TRY(without(op, lhs->dimensions, joined(numbers.lhs_batch, numbers.lhs_contracting)));
  TRY(without(op, rhs->dimensions, joined(numbers.rhs_batch, numbers.rhs_contracting)));
  return array(lhs->element_type, dot_dimensions(lhs->dimensions, rhs->dimensions, numbers));
}

Result reduce(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  const auto gone = TRY(integers_of(op.instruction, "dimensions"));
  const auto left = TRY(without(op, from->dimensions, gone));
  return of_types(op, left);
}

Result reduce_window(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  auto window = TRY(window_of(op.instruction));
  if (window.empty()) window.resize(from->dimensions.size());
  if (std::ssize(window) != from->rank()) return wrong(op, "expected a window of the rank");
  Dimensions dimensions = from->dimensions;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (window[d] == WindowDimension{}) continue;
    dimensions[d].size = TRY(positions_of(op, window[d], dimensions[d]));
  }
  return of_types(op, dimensions);
}

Result convolution(const Operation& op) {
  const auto input = TRY(array_operand(op, 0)), kernel = TRY(array_operand(op, 1));
  const auto n = TRY(dim_labels_of(op.instruction));
  auto window = TRY(window_of(op.instruction));
  const auto groups = TRY(integer_of(op.instruction, "batch_group_count", 1));
  const size_t spatial = n.output_spatial.size();
  if (window.empty()) window.resize(spatial);
  const bool fits = n.input_rank == input->rank() && n.kernel_rank == kernel->rank() &&
                    n.output_rank == static_cast<int64_t>(spatial) + 2 &&
                    window.size() == spatial && groups >= 1 &&
                    input->element_type == kernel->element_type;
  if (!fits) return wrong(op, "expected arrays and a window of the ranks of dim_labels");
  Dimensions dimensions(spatial + 2);
  const auto batch = TRY(fixed(op, input->dimensions[n.input_batch]));
  dimensions[n.output_batch].size = batch / groups;
  dimensions[n.output_feature] = kernel->dimensions[n.kernel_output_feature];
  for (size_t k = 0; k < spatial; ++k) {
    dimensions[n.output_spatial[k]].size =
        TRY(positions_of(op, window[k], input->dimensions[n.input_spatial[k]]));
  }
  return array(input->element_type, std::move(dimensions));
}

Result dynamic_slice(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  const auto sizes = TRY(integers_of(op.instruction, "dynamic_slice_sizes"));
  return make_array(from->element_type, sizes);
}

Result gather(const Operation& op) {
  const auto from = TRY(array_operand(op, 0)), indices = TRY(array_operand(op, 1));
  const auto n = TRY(gather_numbers_of(op.instruction));
  const auto sizes = TRY(integers_of(op.instruction, "slice_sizes"));
  Dimensions batch = indices->dimensions;
  if (n.index_vector_dim < std::ssize(batch)) batch.erase(batch.begin() + n.index_vector_dim);
  const Dimensions window = TRY(without(op, make_array(from->element_type, sizes).dimensions,
                                        joined(n.collapsed, n.array_batching)));
  if (window.size() != n.window_dims.size()) return wrong(op, "expected offset_dims to fit");
  std::optional<Dimensions> dimensions = interleaved(batch, window, n.window_dims);
  if (!dimensions) return wrong(op, "expected offset_dims below the rank");
  return array(from->element_type, *std::move(dimensions));
}

// ---- Tuples, calls, and shapes that are handed on ----

namespace {

Result operands_alone_or_together(const Operation& op, int64_t count) {
  std::vector<Shape> parts;
  for (int64_t k = 0; k < count; ++k) parts.push_back(TRY(like(op, k)));
  if (parts.empty()) return wrong(op, "expected an operand");
  return one_or_tuple(std::move(parts));
}

}  // namespace

Result like_operands(const Operation& op) { return operands_alone_or_together(op, op.count()); }
Result scatter(const Operation& op) { return operands_alone_or_together(op, op.count() / 2); }

Result element(const Operation& op) {
  const auto index = TRY(integer_of(op.instruction, "index"));
  if (op.count() != 1 || index >= std::ssize(op.operands[0]->parts)) {
    return wrong(op, absl::StrCat("expected a tuple of more than ", index, " parts"));
  }
  return op.operands[0]->parts[index];
}

Result tuple_of_operands(const Operation& op) {
  std::vector<Shape> parts;
  for (const Shape* shape : op.operands) parts.push_back(*shape);
  return tuple(std::move(parts));
}

Result first_operand(const Operation& op) {
  if (op.operands.empty()) return wrong(op, "expected an operand");
  return *op.operands[0];
}

Result copy(const Operation& op) {
  const bool is_tuple = op.count() == 1 && op.operands[0]->kind == Shape::Kind::kTuple;
  return is_tuple ? first_operand(op) : like_first(op);
}

namespace {

// The shape of the root of the computation that the first of these attributes names.
Result root_of_first(const Operation& op, const std::vector<const char*>& attributes,
                     absl::string_view missing) {
  for (const char* attribute : attributes) {
    if (!called_computations(op.instruction, attribute).empty()) return root_of(op, attribute);
  }
  return wrong(op, missing);
}

}  // namespace

Result branch(const Operation& op) {
  return root_of_first(op, {"true_computation", "branch_computations"}, "expected branches");
}
Result called(const Operation& op) {
  return root_of_first(op, {"calls", "to_apply"}, "expected a computation");
}

Result token(const Operation&) { return array(ElementType::kToken, {}); }
Result dimension_size(const Operation&) { return array(ElementType::kS32, {}); }
Result replica_number(const Operation&) { return array(ElementType::kU32, {}); }

}  // namespace tileproof::infer

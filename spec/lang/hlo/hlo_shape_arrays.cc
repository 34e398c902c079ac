#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_shape_rules.h"

namespace tileproof::shape_rules {
namespace {

// The real type of the parts of a complex one; other types as they are.
ElementType part_of(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  return type == ElementType::kC128 ? ElementType::kF64 : type;
}

}  // namespace

absl::Status wrong(const Operation& op, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(op.instruction.name, ": ", what));
}

absl::Status cannot_infer(const Operation& op) {
  return wrong(op, absl::StrCat("expected a shape of the result: ", op.instruction.opcode_text,
                                " may have several"));
}

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

Result like(const Operation& op, int64_t k, std::optional<ElementType> type) {
  const auto from = TRY(array_operand(op, k));
  return array(type.value_or(from->element_type), from->dimensions);
}

Result elementwise(const Operation& op, std::optional<ElementType> type) {
  Result result = like(op, 0, type);
  for (int64_t k = 1; result.ok() && k < op.count(); ++k) {
    const auto other = TRY(array_operand(op, k));
    if (other->rank() != result->rank()) return wrong(op, "expected operands of one rank");
    for (int64_t d = 0; d < result->rank(); ++d) {
      if (other->dimensions[d].kind == Dimension::Kind::kBounded) {
        result->dimensions[d] = other->dimensions[d];
      }
    }
  }
  return result;
}

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
  const auto from = TRY(array_operand(op, 0));
  const auto limits = TRY(slice_of(op.instruction));
  Dimensions dimensions;
  for (const SliceLimits& l : limits) {
    const auto length = checked_sub(l.limit, l.start);
    if (!length || *length < 0) return wrong(op, "expected limits of at least the starts");
    const int64_t size = *length / l.stride + (*length % l.stride != 0 ? 1 : 0);
    dimensions.push_back({Dimension::Kind::kFixed, size});
  }
  return array(from->element_type, std::move(dimensions));
}

std::optional<int64_t> padded(int64_t size, int64_t dilation, int64_t low, int64_t high) {
  std::optional<int64_t> whole = size == 0 ? size : checked_mul(size - 1, dilation);
  if (whole && size > 0) whole = checked_add(*whole, 1);
  if (whole) whole = checked_add(*whole, low);
  if (whole) whole = checked_add(*whole, high);
  if (whole) whole = std::max<int64_t>(*whole, 0);
  return whole;
}

Result pad(const Operation& op) {
  const auto from = TRY(array_operand(op, 0));
  const auto limits = TRY(padding_of(op.instruction));
  if (std::ssize(limits) != from->rank()) return wrong(op, "expected padding of the rank");
  Dimensions dimensions;
  for (size_t d = 0; d < limits.size(); ++d) {
    const PadLimits& l = limits[d];
    const auto size = TRY(fixed(op, from->dimensions[d]));
    const auto dilation = checked_add(l.interior, 1);
    const auto whole = dilation ? padded(size, *dilation, l.low, l.high) : std::nullopt;
    if (!whole) return wrong(op, "expected sizes that fit 64 signed bits");
    dimensions.push_back({Dimension::Kind::kFixed, *whole});
  }
  return array(from->element_type, std::move(dimensions));
}

Result concatenate(const Operation& op) {
  Result result = like(op, 0);
  const auto along = TRY(integers_of(op.instruction, "dimensions"));
  if (!result.ok()) return result;
  if (along.size() != 1 || along.front() >= result->rank()) {
    return wrong(op, "expected one dimension below the rank");
  }
  const int64_t d = along.front();
  int64_t whole = 0;
  for (int64_t k = 0; k < op.count(); ++k) {
    const auto part_at = TRY(array_operand(op, k));
    if (part_at->rank() != result->rank()) return wrong(op, "expected operands of one rank");
    const auto size = TRY(fixed(op, part_at->dimensions[d]));
    const auto sum = checked_add(whole, size);
    if (!sum) return wrong(op, "expected a size that fits 64 signed bits");
    whole = *sum;
  }
  result->dimensions[d].size = whole;
  return result;
}

}  // namespace tileproof::shape_rules

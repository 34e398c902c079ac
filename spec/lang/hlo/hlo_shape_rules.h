// The rules behind spec/lang/hlo/hlo_shapes.h: the shape of a result, one function for each operation
// that does more than pass a shape on. Each answers for the operation it is named after and says
// what it expected where operands or attributes do not fit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::shape_rules {

using Result = absl::StatusOr<Shape>;
using Dimensions = std::vector<Dimension>;

// An instruction with the shapes of its operands.
struct Operation {
  const HloModule& module;
  const HloInstruction& instruction;
  std::vector<const Shape*> operands;

  int64_t count() const { return std::ssize(operands); }
};

absl::Status wrong(const Operation& op, absl::string_view what);
absl::Status cannot_infer(const Operation& op);  // the result may have several shapes

Shape array(ElementType type, Dimensions dimensions);
Shape tuple(std::vector<Shape> parts);
Shape one_or_tuple(std::vector<Shape> parts);  // one shape alone, several as a tuple

absl::StatusOr<const Shape*> array_operand(const Operation& op, int64_t k);
absl::StatusOr<int64_t> fixed(const Operation& op, const Dimension& dimension);

// The shape of the root of the first computation that the attribute names.
Result root_of(const Operation& op, absl::string_view attribute);

// Of a dimension that is dilated and padded; 0 where that is less than nothing.
std::optional<int64_t> padded(int64_t size, int64_t dilation, int64_t low, int64_t high);

// Operand k without its layout, of another element type where one is given.
Result like(const Operation& op, int64_t k, std::optional<ElementType> type = std::nullopt);

// Elementwise, of operands 0, 1, ..: a dimension that is bounded in one of them is in the result.
Result elementwise(const Operation& op, std::optional<ElementType> type = std::nullopt);

// Array by array (hlo_shape_arrays.cc).
Result part(const Operation& op);  // of a complex number
Result complex(const Operation& op);
Result map(const Operation& op);
Result transpose(const Operation& op);
Result slice(const Operation& op);
Result pad(const Operation& op);
Result concatenate(const Operation& op);

// Sums, windows, offsets and indices (hlo_shape_sums.cc).
Result dot(const Operation& op);
Result reduce(const Operation& op);
Result reduce_window(const Operation& op);
Result convolution(const Operation& op);
Result dynamic_slice(const Operation& op);
Result gather(const Operation& op);

}  // namespace tileproof::shape_rules

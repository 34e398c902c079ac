// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/format_ops.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/nested_tags.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/layout/tiled_layout.h"
#include "impl/map/evaluate.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"

namespace tileproof::conform {
namespace {

struct Question {
  spec::LayoutFunction function;
  std::vector<int64_t> index;
};

absl::StatusOr<Question> question_in(const Json& request) {
  const AnyLayout layout = TRY(parsed_field(request, "layout", parse_any_layout));
  const Json* index = find(request, "index");
  if (index == nullptr)
    return absl::InvalidArgumentError("expected the key \"index\", an array of integers");
  const std::optional<std::vector<int64_t>> numbers = integers(*index);
  if (!numbers)
    return absl::InvalidArgumentError("expected index to be an array of integers within 64 bits");
  return Question{TRY(spec::layout_function(layout)), *numbers};
}

Coordinate coordinate_of(const std::vector<int64_t>& index) {
  Coordinate coordinate = make_tuple({});
  for (const int64_t i : index) coordinate.elements.push_back(make_integer(i));
  return coordinate;
}

// A layout of one mode that is no tuple has integers as coordinates.
Coordinate coordinate_of(const NestedLayout& layout, const std::vector<int64_t>& index) {
  return layout.shape.is_tuple ? coordinate_of(index) : make_integer(index[0]);
}

// The closed forms, at an index inside.
struct ClosedForm {
  const std::vector<int64_t>& index;

  absl::StatusOr<int64_t> operator()(const Shape& shape) const {
    return TRY(impl::TiledLayout::create(shape)).linearize(index);
  }
  absl::StatusOr<int64_t> operator()(const NestedLayout& layout) const {
    return TRY(impl::NestedLayout::create(layout)).offset(coordinate_of(layout, index));
  }
  absl::StatusOr<int64_t> operator()(const TaggedShape& tagged) const {
    return (*this)(TRY(impl::make_layout(tagged)));
  }
  absl::StatusOr<int64_t> operator()(const BlockedShape& shape) const {
    const impl::DigitLayout digits = TRY(impl::digits_of(shape));
    int64_t offset = 0;
    for (const impl::LayoutDigit& digit : digits.digits)
      offset += index[digit.dimension] / digit.divisor % digit.size * digit.stride;
    return offset;
  }
  absl::StatusOr<int64_t> operator()(const SwizzledLayout& layout) const {
    return TRY(impl::SwizzledLayout::create(layout)).offset(coordinate_of(layout.layout, index));
  }
  absl::StatusOr<int64_t> operator()(const MemRef& memref) const {
    const std::optional<std::vector<int64_t>> results =
        TRY(impl::evaluate(memref.map, {index, {}, {}}));
    if (!results) return absl::InternalError("the index is outside of the map of a memref");
    return (*results)[0];
  }
};

}  // namespace

absl::StatusOr<Result> layout_offset(const Json& request, Engine engine) {
  const Question question = TRY(question_in(request));
  // Both engines: is the index inside?
  const int64_t defined = TRY(spec::offset_at(question.function, question.index));
  if (engine == Engine::kSpec) return Result(defined);
  return Result(TRY(std::visit(ClosedForm{question.index}, question.function.layout)));
}

}  // namespace tileproof::conform

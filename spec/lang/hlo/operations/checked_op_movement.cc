// SPDX-License-Identifier: Apache-2.0
// Elementwise operations, and those that rearrange one array.
#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"

namespace tileproof::check {
namespace {

// Each operand has the result's dimensions, or is a scalar where it may be.
absl::StatusOr<op::Any> elementwise(const Instruction& in, const std::vector<bool>& may_be_scalar) {
  op::Elementwise e{.dims = TRY(result_dims(in)), .is_scalar = {}};
  for (int64_t k = 0; k < in.operand_count(); ++k) {
    const Dims operand = TRY(array_dims(in, k));
    const bool is_scalar = may_be_scalar[k] && operand.empty() && !e.dims.empty();
    if (!is_scalar) TRY(expect_operand(in, k, e.dims));
    e.is_scalar.push_back(is_scalar);
  }
  return e;
}

}  // namespace

absl::StatusOr<op::Any> known_elementwise(const Instruction& in) {
  const int64_t operands = elementwise_operands(in.opcode);
  TRY(expect_operands(in, operands, operands));
  return elementwise(in, std::vector<bool>(in.operands.size(), false));
}

absl::StatusOr<op::Any> map(const Instruction& in) {
  TRY(expect_operands(in, 1, INT64_MAX));
  TRY(expect_on_scalars(in, "to_apply", in.operand_count(), 1));
  const std::vector<int64_t> every = others(std::ssize(TRY(result_dims(in))), {});
  if (TRY(integers_of(in.instruction, "dimensions", every)) != every) {
    return expected(in, "dimensions={", absl::StrJoin(every, ","), "}");
  }
  return elementwise(in, std::vector<bool>(in.operands.size(), false));
}

absl::StatusOr<op::Any> select(const Instruction& in) {
  TRY(expect_operands(in, 3, 3));
  const op::Any chosen = TRY(elementwise(in, {true, false, false}));
  TRY(expect_predicates(in, 0));
  return chosen;
}

absl::StatusOr<op::Any> clamp(const Instruction& in) {
  TRY(expect_operands(in, 3, 3));
  return elementwise(in, {true, false, true});
}

absl::StatusOr<op::Any> copy(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  return in.result_shape->kind == Shape::Kind::kTuple ? same_leaves(in) : elementwise(in, {false});
}

absl::StatusOr<op::Any> broadcast(const Instruction& in) {
  op::Broadcast b;
  b.operand = TRY(only_operand(in));
  b.result = TRY(result_dims(in));
  b.dimensions = TRY(dimensions_unless_scalar(in, b.operand));
  TRY(expect_dimensions(in, "dimensions", b.dimensions, std::ssize(b.result)));
  if (b.dimensions.size() != b.operand.size()) {
    return expected(in, count_text(std::ssize(b.operand), "number"), " in dimensions, found ",
                    b.dimensions.size());
  }
  for (size_t k = 0; k < b.operand.size(); ++k) {
    const int64_t d = b.dimensions[k];
    if (b.operand[k] != b.result[d]) {
      return expected(in, "dimension ", d, " of the result of size ", b.operand[k], ", found ",
                      b.result[d]);
    }
  }
  return b;
}

absl::StatusOr<op::Any> transpose(const Instruction& in) {
  op::Transpose t;
  t.operand = TRY(only_operand(in));
  t.dimensions = TRY(dimensions_unless_scalar(in, t.operand));
  TRY(expect_dimensions(in, "dimensions", t.dimensions, std::ssize(t.operand)));
  if (t.dimensions.size() != t.operand.size()) {
    return expected(in, count_text(std::ssize(t.operand), "number"), " in dimensions, found ",
                    t.dimensions.size());
  }
  t.result = selected(t.operand, t.dimensions);
  TRY(expect_result(in, t.result));
  return t;
}

absl::StatusOr<op::Any> reverse(const Instruction& in) {
  op::Reverse r;
  r.dims = TRY(only_operand(in));
  const std::vector<int64_t> dimensions = TRY(dimensions_unless_scalar(in, r.dims));
  TRY(expect_dimensions(in, "dimensions", dimensions, std::ssize(r.dims)));
  TRY(expect_result(in, r.dims));
  r.is_reversed.assign(r.dims.size(), false);
  for (const int64_t d : dimensions) r.is_reversed[d] = true;
  return r;
}

namespace {

absl::StatusOr<op::Reshape> reshaped(const Instruction& in) {
  op::Reshape r;
  r.operand = TRY(array_dims(in, 0));
  r.result = TRY(result_dims(in));
  const std::optional<int64_t> count = element_count(r.operand);
  if (count && count == element_count(r.result)) return r;
  return expected(in, "as many elements as in ", dims_text(r.operand), ", found ",
                  dims_text(r.result));
}

}  // namespace

absl::StatusOr<op::Any> reshape(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  return reshaped(in);
}

absl::StatusOr<op::Any> dynamic_reshape(const Instruction& in) {
  op::Reshape r = TRY(reshaped(in));
  const int64_t rank = std::ssize(r.result);
  TRY(expect_operands(in, 1 + rank, 1 + rank));
  op::DynamicReshape d{.operand = std::move(r.operand), .result = std::move(r.result), .sizes = {}};
  for (int64_t k = 1; k <= rank; ++k) {
    d.sizes.push_back(TRY(array_dims(in, k)));
    if (d.sizes.back() != Dims{1}) TRY(expect_operand(in, k, {}));
  }
  return d;
}

absl::StatusOr<op::Any> set_dimension_size(const Instruction& in) {
  TRY(expect_operands(in, 2, 2));
  op::SetDimensionSize s;
  s.dims = TRY(result_dims(in));
  TRY(expect_operand(in, 0, s.dims));
  TRY(expect_operand(in, 1, {}));
  TRY(one_dimension(in, std::ssize(s.dims)));
  return s;
}

absl::StatusOr<op::Any> bitcast(const Instruction& in) {
  op::Bitcast b;
  b.operand = TRY(only_operand(in));
  b.result = TRY(result_dims(in));
  b.operand_shape = in.operands[0][0].array;
  b.result_shape = in.result[0].array;
  const Shape &from = *b.operand_shape, &to = *b.result_shape;
  if (byte_width(from.element_type) != byte_width(to.element_type) ||
      layout_of(from).element_size_in_bits != layout_of(to).element_size_in_bits) {
    return op::Opaque{op::Opaque::Kind::kWidthsDiffer,
                      "bitcast between element types of different widths"};
  }
  return b;
}

namespace {

// Whether a wide element is as wide as `ratio` narrow ones. A predicate counts as the byte that it
// takes, as in XLA's shape inference. (StableHLO counts the one bit that it holds.)
bool widths_fit(ElementType wide, ElementType narrow, int64_t ratio) {
  const auto bits = [](ElementType type) -> int64_t {
    return type == ElementType::kPred ? 8 : info(type).bits;
  };
  return ratio <= bits(wide) && bits(wide) == bits(narrow) * ratio;
}

// Whether `longer` is `shorter` with one more dimension at the end. That dimension must be larger
// than 1: with size 1 the widths are equal, and XLA infers the operand's dimensions.
bool is_line_longer(const Dims& longer, const Dims& shorter) {
  return longer.size() == shorter.size() + 1 && longer.back() > 1 &&
         std::equal(shorter.begin(), shorter.end(), longer.begin());
}

}  // namespace

absl::StatusOr<op::Any> bitcast_convert(const Instruction& in) {
  op::BitcastConvert b;
  b.operand = TRY(only_operand(in));
  b.result = TRY(result_dims(in));
  const ElementType from = in.operands[0][0].array->element_type;
  const ElementType to = in.result[0].array->element_type;
  const bool same = b.operand == b.result && widths_fit(from, to, 1);
  const bool narrower =
      is_line_longer(b.result, b.operand) && widths_fit(from, to, b.result.back());
  const bool wider = is_line_longer(b.operand, b.result) && widths_fit(to, from, b.operand.back());
  if (same || narrower || wider) return b;
  return expected(in, "a result of as many bits as ", dims_text(b.operand), " of ", info(from).bits,
                  " bits, found ", dims_text(b.result), " of ", info(to).bits, " bits");
}

absl::StatusOr<op::Any> slice(const Instruction& in) {
  op::Slice s;
  s.operand = TRY(only_operand(in));
  s.limits = TRY(slice_of(in.instruction));
  if (s.limits.size() != s.operand.size()) {
    return expected(in, "limits for ", count_text(std::ssize(s.operand), "dimension"), ", found ",
                    s.limits.size());
  }
  for (size_t d = 0; d < s.limits.size(); ++d) {
    const SliceLimits& l = s.limits[d];
    if (l.limit > s.operand[d]) {
      return expected(in, "a slice within dimension ", d, " of size ", s.operand[d], ", found [",
                      l.start, ":", l.limit, ":", l.stride, "]");
    }
    const std::optional<int64_t> size = sliced_size(l);
    if (!size) return expected(in, "a limit of at least the start in dimension ", d);
    s.result.push_back(*size);
  }
  TRY(expect_result(in, s.result));
  return s;
}

absl::StatusOr<op::Any> pad(const Instruction& in) {
  TRY(expect_operands(in, 2, 2));
  op::Pad p;
  p.operand = TRY(array_dims(in, 0));
  TRY(expect_operand(in, 1, {}));
  // A scalar has no padding, and the attribute may be missing.
  if (!p.operand.empty() || in.has("padding")) p.limits = TRY(padding_of(in.instruction));
  if (p.limits.size() != p.operand.size()) {
    return expected(in, "padding for ", count_text(std::ssize(p.operand), "dimension"), ", found ",
                    p.limits.size());
  }
  for (size_t d = 0; d < p.limits.size(); ++d) {
    const std::optional<int64_t> size = padded_size(p.limits[d], p.operand[d]);
    if (!size) return expected(in, "a padded size that fits 63 bits in dimension ", d);
    if (*size < 0) {
      return expected(in, "a padded size of at least 0 in dimension ", d, ", found ", *size);
    }
    p.result.push_back(*size);
  }
  TRY(expect_result(in, p.result));
  return p;
}

absl::StatusOr<op::Any> concatenate(const Instruction& in) {
  TRY(expect_operands(in, 1, INT64_MAX));
  op::Concatenate c;
  c.result = TRY(result_dims(in));
  c.dimension = TRY(one_dimension(in, std::ssize(c.result)));
  Dims sizes;
  for (int64_t k = 0; k < in.operand_count(); ++k) {
    const Dims operand = TRY(array_dims(in, k));
    Dims fits = c.result;
    if (operand.size() == fits.size()) fits[c.dimension] = operand[c.dimension];
    TRY(expect_operand(in, k, fits));
    sizes.push_back(operand[c.dimension]);
    c.operands.push_back(operand);
  }
  const std::optional<int64_t> whole = concatenated_size(sizes);
  if (!whole) return expected(in, "a size that fits 63 bits");
  Dims fits = c.result;
  fits[c.dimension] = *whole;
  TRY(expect_result(in, fits));
  return c;
}

}  // namespace tileproof::check

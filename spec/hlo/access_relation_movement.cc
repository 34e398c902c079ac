// Elementwise operations, and those that move elements.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation_parts.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

absl::Status expect_result(const Operation& op, const Dims& dims) {
  const Dims out = TRY(result_dims(op));
  if (out == dims) return absl::OkStatus();
  return expected(
      op, absl::StrCat("a result of dimensions ", dims_text(dims), ", found ", dims_text(out)));
}

// The dimensions of the only operand.
absl::StatusOr<Dims> only_operand(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  return array_dims(op, 0);
}

// Operand k flows element by element; where `or_scalar`, it may be one element for all instead.
absl::StatusOr<Dependence> elementwise_operand(const Operation& op, int64_t k, bool or_scalar) {
  const Dims out = TRY(result_dims(op));
  const Dims in = TRY(array_dims(op, k));
  if (or_scalar && in.empty()) return scalar(k);
  TRY(expect_dims(op, k, out));
  return same(k, 0, std::ssize(out));
}

absl::StatusOr<AccessRelation> elementwise_of(const Operation& op,
                                              const std::vector<bool>& or_scalar) {
  AccessRelation relation;
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    relation.dependences.push_back(TRY(elementwise_operand(op, k, or_scalar[k])));
  }
  return relation;
}

}  // namespace

// out[o] = f(a[o], b[o], ..)
absl::StatusOr<AccessRelation> elementwise(const Operation& op, int64_t) {
  if (op.operands.empty()) return expected(op, "an operand");
  return elementwise_of(op, std::vector<bool>(op.operands.size(), false));
}

// out[o] = predicate[o] ? a[o] : b[o], or with one predicate for all
absl::StatusOr<AccessRelation> select_between(const Operation& op, int64_t) {
  TRY(expect_operands(op, 3, 3));
  return elementwise_of(op, {true, false, false});
}

// out[o] = min(max(low[o], a[o]), high[o]), or with one bound for all
absl::StatusOr<AccessRelation> clamp_between(const Operation& op, int64_t) {
  TRY(expect_operands(op, 3, 3));
  return elementwise_of(op, {true, false, true});
}

// Dimension k of the operand is dimension dimensions[k] of the result.
absl::StatusOr<AccessRelation> broadcast(const Operation& op, int64_t) {
  const Dims in = TRY(only_operand(op));
  const Dims out = TRY(result_dims(op));
  const auto dimensions = TRY(in.empty() ? integers_of(op.instruction, "dimensions", {})
                                         : integers_of(op.instruction, "dimensions"));
  TRY(expect_dimensions(op, "dimensions", dimensions, std::ssize(out)));
  if (dimensions.size() != in.size()) {
    return expected(op, absl::StrCat("one number in dimensions for each of ", in.size(),
                                     " dimensions of the operand"));
  }
  access::Projection pick;
  for (size_t k = 0; k < in.size(); ++k) {
    const int64_t d = dimensions[k];
    if (in[k] != out[d]) {
      return expected(
          op, absl::StrCat("dimension ", d, " of the result to be ", in[k], ", found ", out[d]));
    }
    pick.coordinates.push_back(access::output(d));
  }
  return AccessRelation{.dependences = {dependence_of(0, std::move(pick))}};
}

// Dimension d of the result is dimension dimensions[d] of the operand.
absl::StatusOr<AccessRelation> transpose(const Operation& op, int64_t) {
  const Dims in = TRY(only_operand(op));
  const auto dimensions = TRY(in.empty() ? integers_of(op.instruction, "dimensions", {})
                                         : integers_of(op.instruction, "dimensions"));
  TRY(expect_dimensions(op, "dimensions", dimensions, std::ssize(in)));
  if (dimensions.size() != in.size()) return expected(op, "every dimension in dimensions");
  access::Projection pick{std::vector<access::Projection::Coordinate>(in.size())};
  Dims out;
  for (int64_t d = 0; d < std::ssize(in); ++d) {
    const int64_t from = dimensions[d];
    out.push_back(in[from]);
    pick.coordinates[from] = access::output(d);
  }
  TRY(expect_result(op, out));
  return AccessRelation{.dependences = {dependence_of(0, std::move(pick))}};
}

absl::StatusOr<AccessRelation> reverse_order(const Operation& op, int64_t) {
  const Dims in = TRY(only_operand(op));
  const auto dimensions = TRY(integers_of(op.instruction, "dimensions", {}));
  absl::Status status = expect_dimensions(op, "dimensions", dimensions, std::ssize(in));
  status.Update(expect_result(op, in));
  if (!status.ok()) return status;
  access::Reverse access{in, std::vector<bool>(in.size(), false)};
  for (int64_t d : dimensions) access.reversed[d] = true;
  return AccessRelation{.dependences = {dependence_of(0, std::move(access))}};
}

absl::StatusOr<AccessRelation> reshape(const Operation& op, int64_t) {
  const bool with_sizes = op.instruction.opcode == HloOpcode::kDynamicReshape;
  TRY(expect_operands(op, 1, with_sizes ? INT32_MAX : 1));
  const Dims in = TRY(array_dims(op, 0));
  const Dims out = TRY(result_dims(op));
  const std::optional<int64_t> elements = element_count(in);
  if (!elements || elements != element_count(out)) {
    return expected(
        op, absl::StrCat("as many elements as in ", dims_text(in), ", found ", dims_text(out)));
  }
  return AccessRelation{.dependences = {dependence_of(0, access::Reshape{out, in})}};
}

// The sizes are given at run time, and decide for every element whether it is there.
absl::StatusOr<AccessRelation> dynamic_reshape(const Operation& op, int64_t leaf) {
  AccessRelation relation = TRY(reshape(op, leaf));
  for (int64_t k = 1; k < op.operand_count(); ++k) {
    const Dims dims = TRY(array_dims(op, k));
    relation.dependences.push_back(universe(k, 0, dims));
  }
  return relation;
}

// The same array, of which a size given at run time says how much is there.
absl::StatusOr<AccessRelation> set_dimension_size(const Operation& op, int64_t) {
  TRY(expect_operands(op, 2, 2));
  Dependence array = TRY(elementwise_operand(op, 0, false));
  TRY(expect_dims(op, 1, {}));
  return AccessRelation{.dependences = {std::move(array), scalar(1)}};
}

// o and i with linearize(out, o) = linearize(in, i)
absl::StatusOr<AccessRelation> bitcast(const Operation& op, int64_t) {
  const Dims in_dims = TRY(only_operand(op));
  const Dims out_dims = TRY(result_dims(op));
  const Shape& from = *op.operands[0][0].array;
  const Shape& to = *op.result[0].array;
  if (byte_width(from.element_type) != byte_width(to.element_type) ||
      layout_of(from).element_size_in_bits != layout_of(to).element_size_in_bits) {
    return conservative(op, "bitcast between element types of different widths");
  }
  absl::StatusOr<TiledLayout> in = tiled_layout(from);
  if (!in.ok())
    return expected(op, absl::StrCat("a layout of the operand: ", in.status().message()));
  absl::StatusOr<TiledLayout> out = tiled_layout(to);
  if (!out.ok()) return expected(op, absl::StrCat("a layout: ", out.status().message()));
  if (in->elements() != out->elements() && element_count(in_dims) != element_count(out_dims)) {
    return expected(op, absl::StrCat("as many elements as in ", dims_text(in_dims), ", found ",
                                     dims_text(out_dims)));
  }
  return AccessRelation{
      .dependences = {dependence_of(0, access::Bitcast{*std::move(out), *std::move(in)})}};
}

namespace {

// Whether a wide element is a line of `ratio` narrow ones. A predicate counts as the byte it takes,
// as in XLA's shape inference (StableHLO counts the bit it holds).
bool widths_fit(ElementType wide, ElementType narrow, int64_t ratio) {
  const auto bits = [](ElementType type) -> int64_t {
    return type == ElementType::kPred ? 8 : info(type).bits;
  };
  return ratio <= bits(wide) && bits(wide) == bits(narrow) * ratio;
}

}  // namespace

// A wide element is a line of narrow ones, as long as one holds the other.
absl::StatusOr<AccessRelation> bitcast_convert(const Operation& op, int64_t) {
  const Dims in = TRY(only_operand(op));
  const Dims out = TRY(result_dims(op));
  const ElementType from = op.operands[0][0].array->element_type;
  const ElementType to = op.result[0].array->element_type;
  const int64_t rank = std::ssize(in);
  if (in == out && widths_fit(from, to, 1))
    return AccessRelation{.dependences = {same(0, 0, rank)}};
  // Where the widths are the same there is no line: XLA infers the operand's dimensions.
  if (std::ssize(out) == rank + 1 && out.back() > 1 &&
      std::equal(in.begin(), in.end(), out.begin()) && widths_fit(from, to, out.back())) {
    return AccessRelation{.dependences = {same(0, 0, rank)}};
  }
  if (std::ssize(out) == rank - 1 && in.back() > 1 &&
      std::equal(out.begin(), out.end(), in.begin()) && widths_fit(to, from, in.back())) {
    access::Projection pick = same_index(rank - 1);
    pick.coordinates.push_back(access::range(0));
    return AccessRelation{.dependences = {dependence_of(0, std::move(pick), {in.back()})}};
  }
  return expected(
      op, absl::StrCat("a result of as many bytes, found ", dims_text(out), " of ", info(to).bits,
                       " bits from ", dims_text(in), " of ", info(from).bits, " bits"));
}

absl::StatusOr<AccessRelation> slice(const Operation& op, int64_t) {
  const Dims in = TRY(only_operand(op));
  const auto limits = TRY(slice_of(op.instruction));
  if (limits.size() != in.size()) return expected(op, "a slice of every dimension");
  Dims out;
  for (size_t d = 0; d < in.size(); ++d) {
    const SliceLimits& s = limits[d];
    if (s.limit > in[d]) {
      return expected(op, absl::StrCat("a slice within dimension ", d, " of size ", in[d],
                                       ", found [", s.start, ":", s.limit, ":", s.stride, "]"));
    }
    const int64_t length = s.limit - s.start;
    out.push_back(length == 0 ? 0 : (length - 1) / s.stride + 1);
  }
  TRY(expect_result(op, out));
  return AccessRelation{.dependences = {dependence_of(0, access::Slice{limits})}};
}

// The size of a padded dimension.
static absl::StatusOr<int64_t> padded_size(const Operation& op, const PadLimits& pad,
                                           int64_t size) {
  const std::optional<int64_t> holes = checked_mul(std::max<int64_t>(size - 1, 0), pad.interior);
  for (int64_t x : {pad.low, pad.high, pad.interior, size, holes.value_or(INT64_MAX)}) {
    if (!moderate(x)) return beyond(op, "padding: numbers to 2^56");
  }
  const int64_t result = size + *holes + pad.low + pad.high;
  if (result < 0) return expected(op, "padding: a size that is not negative");
  return result;
}

absl::StatusOr<AccessRelation> pad(const Operation& op, int64_t) {
  TRY(expect_operands(op, 2, 2));
  const Dims in = TRY(array_dims(op, 0));
  // The padding of a scalar is nothing, and may be left out.
  const auto limits = TRY(in.empty() && !find_attribute(op.instruction.attributes, "padding")
                              ? std::vector<PadLimits>()
                              : padding_of(op.instruction));
  if (limits.size() != in.size()) return expected(op, "a padding of every dimension");
  Dims out;
  for (size_t d = 0; d < in.size(); ++d) {
    out.push_back(TRY(padded_size(op, limits[d], in[d])));
  }
  absl::Status status = expect_result(op, out);
  status.Update(expect_dims(op, 1, {}));
  if (!status.ok()) return status;
  const access::Pad access{limits, in};
  return AccessRelation{
      .dependences = {dependence_of(0, access), dependence_of(1, access::PadValue{access})}};
}

absl::StatusOr<AccessRelation> concatenate(const Operation& op, int64_t) {
  const Dims out = TRY(result_dims(op));
  const int64_t dimension = TRY(one_dimension(op, std::ssize(out)));
  AccessRelation relation;
  Dims total = out;
  int64_t& offset = total[dimension] = 0;
  for (int64_t k = 0; k < op.operand_count(); ++k) {
    const Dims in = TRY(array_dims(op, k));
    if (in.size() != out.size()) {
      return expected(op, absl::StrCat("operand ", k, " to have rank ", out.size()));
    }
    const int64_t size = in[dimension];
    Dims fits = out;
    fits[dimension] = size;
    TRY(expect_dims(op, k, fits));
    relation.dependences.push_back(dependence_of(k, access::Concatenate{dimension, offset, size}));
    const std::optional<int64_t> next = checked_add(offset, size);
    if (!next) return expected(op, "a size that fits 64 signed bits");
    offset = *next;
  }
  TRY(expect_result(op, total));
  return relation;
}

}  // namespace tileproof::spec

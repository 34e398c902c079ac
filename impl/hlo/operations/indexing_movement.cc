// Operations that move elements: elementwise, broadcast, transpose, reverse, slice, pad,
// concatenate.
#include <algorithm>

#include "absl/strings/str_join.h"
#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {
namespace {

absl::Status expect_output(const Operation& op, const Dims& sizes) {
  if (op.output == sizes) return absl::OkStatus();
  return wrong(op, "expected a result of dimensions [", absl::StrJoin(sizes, ","), "], found [",
               absl::StrJoin(op.output, ","), "]");
}

absl::StatusOr<Dims> only_operand(const Operation& op) {
  TRY(expect_operands(op, 1, 1));
  return operand_sizes(op, 0);
}

}  // namespace

// out[o] = f(a[o], b[o], ..); a scalar predicate or bound counts for all elements.
absl::StatusOr<Dependences> elementwise_dependences(const Operation& op) {
  Dependences dependences;
  if (op.operands() == 0) return wrong(op, "expected an operand");
  if (!op.result.parts.empty()) return wrong(op, "expected the result to be an array");
  const HloOpcode opcode = op.opcode();
  for (int32_t k = 0; k < op.operands(); ++k) {
    const Dims sizes = TRY(operand_sizes(op, k));
    const bool may_be_scalar =
        opcode == HloOpcode::kClamp ? k != 1 : opcode == HloOpcode::kSelect && k == 0;
    if (sizes == op.output) {
      add_identity(op, dependences, k);
    } else if (sizes.empty() && may_be_scalar) {
      add_universe(op, dependences, k, 0, "");
    } else {
      return wrong(op, "expected operand ", k, " of dimensions [", absl::StrJoin(op.output, ","),
                   "], found [", absl::StrJoin(sizes, ","), "]");
    }
  }
  return dependences;
}

absl::StatusOr<Dependences> broadcast_dependences(const Operation& op) {
  const Dims in = TRY(only_operand(op));
  const auto dimensions = TRY(in.empty() ? integers_of(op.instruction, "dimensions", {})
                                         : integers_of(op.instruction, "dimensions"));
  TRY(expect_dimensions(op, "dimensions", dimensions, op.output.size()));
  if (dimensions.size() != in.size()) {
    return wrong(op, "expected ", in.size(), " dimensions, found ", dimensions.size());
  }
  MapBuilder m(op.output);
  for (size_t k = 0; k < in.size(); ++k) {
    const int64_t d = dimensions[k];
    if (op.output[d] != in[k]) {
      return wrong(op, "expected dimension ", d, " of size ", in[k], ", found ", op.output[d]);
    }
    m.result(m.dimension(d));
  }
  Dependences dependences;
  TRY(add_dependence(op, dependences, 0, m, in));
  return dependences;
}

absl::StatusOr<Dependences> transpose_dependences(const Operation& op) {
  const Dims in = TRY(only_operand(op));
  const auto from = TRY(in.empty() ? integers_of(op.instruction, "dimensions", {})
                                   : integers_of(op.instruction, "dimensions"));
  TRY(expect_dimensions(op, "dimensions", from, in.size()));
  if (from.size() != in.size()) return wrong(op, "expected every dimension in dimensions");
  MapBuilder m(op.output);
  Dims sizes;
  std::vector<int64_t> to(in.size());
  for (size_t d = 0; d < in.size(); ++d) {
    sizes.push_back(in[from[d]]);
    to[from[d]] = static_cast<int64_t>(d);
  }
  TRY(expect_output(op, sizes));
  for (int64_t d : to) m.result(m.dimension(d));
  Dependences dependences;
  TRY(add_dependence(op, dependences, 0, m, in));
  return dependences;
}

absl::StatusOr<Dependences> reverse_dependences(const Operation& op) {
  const Dims in = TRY(only_operand(op));
  const auto reversed = TRY(integers_of(op.instruction, "dimensions", {}));
  TRY(expect_dimensions(op, "dimensions", reversed, in.size()));
  TRY(expect_output(op, in));
  MapBuilder m(op.output);
  for (size_t d = 0; d < in.size(); ++d) {
    const auto number = static_cast<int64_t>(d);
    const NodeId e = m.dimension(number);
    const bool turned = std::ranges::count(reversed, number) > 0 && in[d] > 1;
    m.result(turned ? m.plus(m.times(e, -1), in[d] - 1) : e);
  }
  Dependences dependences;
  TRY(add_dependence(op, dependences, 0, m, in, Form::kWritten, true));
  return dependences;
}

absl::StatusOr<Dependences> slice_dependences(const Operation& op) {
  const Dims in = TRY(only_operand(op));
  const auto limits = TRY(slice_of(op.instruction));
  if (limits.size() != in.size()) return wrong(op, "expected a slice of every dimension");
  Dims sizes;
  for (size_t d = 0; d < in.size(); ++d) {
    const SliceLimits& s = limits[d];
    if (s.limit > in[d]) {
      return wrong(op, "expected a slice within dimension ", d, " of size ", in[d], ", found [",
                   s.start, ":", s.limit, ":", s.stride, "]");
    }
    sizes.push_back(s.limit == s.start ? 0 : (s.limit - s.start - 1) / s.stride + 1);
  }
  TRY(expect_output(op, sizes));
  MapBuilder m(op.output);
  for (size_t d = 0; d < in.size(); ++d) {
    const SliceLimits& s = limits[d];
    m.result(m.plus(m.times(m.dimension(static_cast<int64_t>(d)), s.stride), s.start));
  }
  Dependences dependences;
  TRY(add_dependence(op, dependences, 0, m, in));
  return dependences;
}

namespace {

struct PaddedDimension {
  int64_t low;   // the place of the first element; may be negative
  int64_t step;  // from one element to the next
  int64_t last;  // the place of the last element
  int64_t size;  // of the result
};

absl::StatusOr<PaddedDimension> padded(const Operation& op, const PadLimits& pad, int64_t size,
                                       size_t d) {
  const absl::Status unfit = wrong(op, "expected a padding that leaves a size for dimension ", d);
  const auto step = checked_add(pad.interior, 1);
  const auto span = step ? checked_mul(std::max<int64_t>(size - 1, 0), *step) : std::nullopt;
  const auto last = span ? checked_add(pad.low, *span) : std::nullopt;
  auto end = last ? checked_add(*last, size > 0 ? 1 : 0) : std::nullopt;
  if (end) end = checked_add(*end, pad.high);
  if (!end || *end < 0) return unfit;
  return PaddedDimension{pad.low, *step, *last, *end};
}

// The pad value flows to every place that some dimension keeps free of operand elements.
absl::Status add_pad_value(const Operation& op, Dependences& dependences,
                           const std::vector<PaddedDimension>& dims, bool no_elements) {
  if (no_elements) return add_scalar(op, dependences, 1);
  for (size_t d = 0; d < dims.size(); ++d) {
    const PaddedDimension& p = dims[d];
    const auto add_where = [&](Interval interval, bool between) {
      MapBuilder m(op.output);
      const NodeId e = m.dimension(static_cast<int64_t>(d));
      m.require(e, interval);
      if (between) m.require(m.mod(m.plus(e, -p.low), p.step), {1, p.step - 1});
      return add_dependence(op, dependences, 1, m, {},
                            between ? Form::kToSimplify : Form::kWritten);
    };
    if (p.low > 0) {
      TRY(add_where({0, p.low - 1}, false));
    }
    if (p.step > 1 && p.low < p.last) {
      TRY(add_where({p.low, p.last}, true));
    }
    if (p.last + 1 < p.size) {
      const Interval behind{p.last + 1, p.size - 1};
      TRY(add_where(behind, false));
    }
  }
  return absl::OkStatus();
}

}  // namespace

// Element e of a dimension lies at low + e * (interior + 1), where that is in the result.
absl::StatusOr<Dependences> pad_dependences(const Operation& op) {
  TRY(expect_operands(op, 2, 2));
  const Dims in = TRY(operand_sizes(op, 0));
  const Dims value = TRY(operand_sizes(op, 1));
  if (!value.empty()) return wrong(op, "expected operand 1 to be a scalar");
  const bool left_out = in.empty() && !find_attribute(op.instruction.attributes, "padding");
  const auto limits = TRY(left_out ? std::vector<PadLimits>() : padding_of(op.instruction));
  if (limits.size() != in.size()) return wrong(op, "expected a padding of every dimension");
  std::vector<PaddedDimension> dims;
  Dims sizes;
  for (size_t d = 0; d < in.size(); ++d) {
    const auto dimension = TRY(padded(op, limits[d], in[d], d));
    dims.push_back(dimension);
    sizes.push_back(dimension.size);
  }
  TRY(expect_output(op, sizes));
  MapBuilder m(op.output);
  bool steps = false, all_kept = true;
  for (size_t d = 0; d < in.size(); ++d) {
    const PaddedDimension& p = dims[d];
    const NodeId e = m.dimension(static_cast<int64_t>(d));
    m.require(e, {p.low, p.last});
    const NodeId moved = m.plus(e, -p.low);
    m.result(m.floordiv(moved, p.step));
    if (p.step > 1) m.require(m.mod(moved, p.step), {0, 0});
    steps |= p.step > 1;
    all_kept &= p.low >= 0 && p.last < p.size;
  }
  Dependences dependences;
  const Form form = steps ? Form::kToSimplify : Form::kWritten;
  TRY(add_dependence(op, dependences, 0, m, in, form, all_kept));
  TRY(add_pad_value(op, dependences, dims, has_no_elements(in)));
  return dependences;
}

absl::StatusOr<Dependences> concatenate_dependences(const Operation& op) {
  const auto dimensions = TRY(integers_of(op.instruction, "dimensions"));
  TRY(expect_dimensions(op, "dimensions", dimensions, op.output.size()));
  if (dimensions.size() != 1) return wrong(op, "expected one dimension");
  const int64_t along = dimensions.front();
  Dependences dependences;
  int64_t offset = 0;
  for (int32_t k = 0; k < op.operands(); ++k) {
    const Dims in = TRY(operand_sizes(op, k));
    Dims fits = op.output;
    if (in.size() == fits.size()) fits[along] = in[along];
    const auto end = in == fits ? checked_add(offset, in[along]) : std::nullopt;
    if (!end || *end > op.output[along]) {
      return wrong(op, "expected operands that are [", absl::StrJoin(op.output, ","),
                   "] cut along dimension ", along, ", found [", absl::StrJoin(in, ","), "]");
    }
    MapBuilder m(op.output);
    m.require(m.dimension(along), {offset, *end - 1});
    for (int64_t d = 0; d < std::ssize(fits); ++d) {
      m.result(d == along ? m.plus(m.dimension(d), -offset) : m.dimension(d));
    }
    TRY(add_dependence(op, dependences, k, m, in, Form::kWritten, true));
    offset = *end;
  }
  if (offset != op.output[along]) {
    return wrong(op, "expected dimension ", along, " of size ", offset, ", found ",
                 op.output[along]);
  }
  return dependences;
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Operations that move elements: elementwise, broadcast, transpose, reverse, set-dimension-size,
// slice, pad, concatenate.
#include <algorithm>

#include "impl/hlo/operations/operation_handler.h"
#include "spec/lang/base/try.h"

namespace tileproof::impl {

// out[o] = f(a[o], b[o], ..). A scalar predicate or bound counts for all elements.
absl::StatusOr<Dependences> dependences_of(const op::Elementwise& elementwise,
                                           const OperationContext& context) {
  Dependences dependences;
  for (int32_t k = 0; k < std::ssize(elementwise.is_scalar); ++k) {
    if (elementwise.is_scalar[k]) {
      add_universe(context, dependences, {k});
    } else {
      add_identity(context, dependences, {k});
    }
  }
  return dependences;
}

// in[k] = out[dimensions[k]] for the index of the operand and the result.
absl::StatusOr<Dependences> dependences_of(const op::Broadcast& broadcast,
                                           const OperationContext& context) {
  MapBuilder m(context.output);
  for (int64_t d : broadcast.dimensions) m.result(m.dimension(d));
  return only_dependence(context, m);
}

absl::StatusOr<Dependences> dependences_of(const op::Transpose& transpose,
                                           const OperationContext& context) {
  MapBuilder m(context.output);
  std::vector<int64_t> to(transpose.dimensions.size());
  for (size_t d = 0; d < to.size(); ++d) to[transpose.dimensions[d]] = static_cast<int64_t>(d);
  for (int64_t d : to) m.result(m.dimension(d));
  return only_dependence(context, m);
}

absl::StatusOr<Dependences> dependences_of(const op::Reverse& reverse,
                                           const OperationContext& context) {
  MapBuilder m(context.output);
  for (size_t d = 0; d < reverse.dims.size(); ++d) {
    const NodeId e = m.dimension(static_cast<int64_t>(d));
    const int64_t last = reverse.dims[d] - 1;
    m.result(reverse.is_reversed[d] && last > 0 ? m.plus(m.times(e, -1), last) : e);
  }
  return only_dependence(context, m, Form::kWritten, true);
}

// The array's own element, and its new size.
absl::StatusOr<Dependences> dependences_of(const op::SetDimensionSize&,
                                           const OperationContext& context) {
  Dependences dependences;
  add_identity(context, dependences, {0});
  add_universe(context, dependences, {1});
  return dependences;
}

// out[o] = in[start + o * stride]
absl::StatusOr<Dependences> dependences_of(const op::Slice& slice,
                                           const OperationContext& context) {
  MapBuilder m(context.output);
  for (size_t d = 0; d < slice.limits.size(); ++d) {
    const SliceLimits& s = slice.limits[d];
    m.result(m.plus(m.times(m.dimension(static_cast<int64_t>(d)), s.stride), s.start));
  }
  return only_dependence(context, m);
}

namespace {

struct PaddedDimension {
  int64_t low;   // the index of the first element; may be negative
  int64_t step;  // from one element to the next
  int64_t last;  // the index of the last element
  int64_t size;  // of the result
};

std::vector<PaddedDimension> padded_dimensions(const op::Pad& pad) {
  std::vector<PaddedDimension> dims;
  for (size_t d = 0; d < pad.limits.size(); ++d) {
    const PadLimits& limits = pad.limits[d];
    const int64_t step = limits.interior + 1;
    const int64_t span = std::max<int64_t>(pad.operand[d] - 1, 0) * step;
    dims.push_back({limits.low, step, limits.low + span, pad.result[d]});
  }
  return dims;
}

// The pad value flows to every index at which some dimension has no operand element.
absl::Status add_pad_value(const OperationContext& context, Dependences& dependences,
                           const std::vector<PaddedDimension>& dims) {
  for (size_t d = 0; d < dims.size(); ++d) {
    const PaddedDimension& p = dims[d];
    const auto add_where = [&](Interval interval, bool between) {
      MapBuilder m(context.output);
      const NodeId e = m.dimension(static_cast<int64_t>(d));
      m.require(e, interval);
      if (between) m.require(m.mod(m.plus(e, -p.low), p.step), {1, p.step - 1});
      return add_dependence(context, dependences, {1}, m,
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

// Element e of a dimension lies at low + e * (interior + 1), if that is in the result.
absl::StatusOr<Dependences> dependences_of(const op::Pad& pad, const OperationContext& context) {
  const std::vector<PaddedDimension> dims = padded_dimensions(pad);
  MapBuilder m(context.output);
  bool steps = false, all_kept = true;
  for (size_t d = 0; d < dims.size(); ++d) {
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
  TRY(add_dependence(context, dependences, {0}, m, form, all_kept));
  if (has_no_elements(pad.operand)) {
    add_universe(context, dependences, {1});
  } else {
    TRY(add_pad_value(context, dependences, dims));
  }
  return dependences;
}

// Each operand lies behind the ones before it.
absl::StatusOr<Dependences> dependences_of(const op::Concatenate& concatenate,
                                           const OperationContext& context) {
  const int64_t along = concatenate.dimension;
  Dependences dependences;
  int64_t offset = 0;
  for (int32_t k = 0; k < std::ssize(concatenate.operands); ++k) {
    const Dims& in = concatenate.operands[k];
    const int64_t end = offset + in[along];
    MapBuilder m(context.output);
    m.require(m.dimension(along), {offset, end - 1});
    for (int64_t d = 0; d < std::ssize(in); ++d) {
      m.result(d == along ? m.plus(m.dimension(d), -offset) : m.dimension(d));
    }
    TRY(add_dependence(context, dependences, {k}, m, Form::kWritten, true));
    offset = end;
  }
  return dependences;
}

}  // namespace tileproof::impl

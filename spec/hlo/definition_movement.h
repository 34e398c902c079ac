// SPDX-License-Identifier: Apache-2.0
// Definitions: elementwise operations, and operations that rearrange the elements of arrays.
//
// `accesses` gives the access relation of a checked operation, `reach` its access function. In the
// examples, x(1,2) is an element of operand x, and o the index of a result element.
// Source: XLA operation semantics, the section that each definition names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/dependence.h"
#include "spec/lang/base/dims.h"

namespace tileproof::spec {

// ---- Elementwise ----
//
// result(o) = f(a(o), b(o), ..). A scalar operand serves all elements.
//
//     c = f32[4] clamp(f32[] low, f32[4] x, f32[4] high)        o = (3) reads low(), x(3), high(3)
//
// Source: Element-wise functions, Map, Select, Clamp.
inline AccessRelation accesses(const op::Elementwise& e) {
  AccessRelation relation;
  for (int32_t k = 0; k < std::ssize(e.is_scalar); ++k) {
    relation.dependences.push_back(e.is_scalar[k] ? scalar(k) : same({k}, std::ssize(e.dims)));
  }
  return relation;
}

// ---- set-dimension-size ----
//
// The elements stay. Operand 1 is the new size, which decides for every element whether it exists.
//
//     s = f32[<=4] set-dimension-size(f32[4] x, s32[] n), dimensions={0}
//
//     o = (3) reads x(3) and n()
//
// Source: SetDimensionSize.
inline AccessRelation accesses(const op::SetDimensionSize& s) {
  return {.dependences = {same({0}, std::ssize(s.dims)), scalar(1)}};
}

// ---- broadcast ----
//
//     b = f32[2,3] broadcast(f32[3] x), dimensions={1}          o = (1, 2) reads x(2)
//
// Source: BroadcastInDim.
inline AccessRelation accesses(const op::Broadcast& b) {
  access::Projection p;
  for (const int64_t d : b.dimensions) p.coordinates.push_back(access::output(d));
  return {.dependences = {{.access = std::move(p)}}};
}

// ---- transpose ----
//
//     t = f32[3,2] transpose(f32[2,3] x), dimensions={1,0}      o = (2, 1) reads x(1,2)
//
// Source: Transpose.
inline AccessRelation accesses(const op::Transpose& t) {
  access::Projection p = same_index(std::ssize(t.dimensions));
  for (int64_t d = 0; d < std::ssize(t.dimensions); ++d) {
    p.coordinates[t.dimensions[d]] = access::output(d);
  }
  return {.dependences = {{.access = std::move(p)}}};
}

// ---- reverse ----
//
//     r = f32[2,3] reverse(f32[2,3] x), dimensions={1}          o = (1, 0) reads x(1,2)
//
// Source: Rev.
inline AccessRelation accesses(const op::Reverse& r) { return {.dependences = {{.access = r}}}; }

template <class N>
AccessedElement<N> reach(const op::Reverse& r, const IterationPoint<N>& at) {
  std::vector<N> index = at.o;
  for (size_t d = 0; d < index.size(); ++d) {
    if (r.is_reversed[d]) index[d] = minus(N(r.dims[d] - 1), at.o[d]);
  }
  return {std::move(index), true};
}

// ---- reshape ----
//
// The elements keep their row-major order.
//
//     r = f32[6] reshape(f32[2,3] x)                            o = (5) reads x(1,2)
//
// Source: Reshape.
inline AccessRelation accesses(const op::Reshape& r) { return {.dependences = {{.access = r}}}; }

template <class N>
AccessedElement<N> reach(const op::Reshape& r, const IterationPoint<N>& at) {
  N position(0);
  for (size_t d = 0; d < r.result.size(); ++d) position = position * r.result[d] + at.o[d];
  std::vector<N> index(r.operand.size(), N(0));
  for (size_t d = r.operand.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(r.operand[d], 1);  // an empty array has no elements
    index[d] = d == 0 ? position : mod(position, size);       // the first is what is left
    position = floordiv(position, size);
  }
  return {std::move(index), true};
}

// ---- dynamic-reshape ----
//
// A reshape. The sizes decide for every element whether it exists.
//
//     r = f32[<=6] dynamic-reshape(f32[2,3] x, s32[] n)         o = (5) reads x(1,2), n()
//
// Source: DynamicReshape.
inline AccessRelation accesses(const op::DynamicReshape& r) {
  AccessRelation relation = accesses(op::Reshape{.operand = r.operand, .result = r.result});
  for (int32_t k = 0; k < std::ssize(r.sizes); ++k) {
    relation.dependences.push_back(universe({k + 1}, r.sizes[k]));
  }
  return relation;
}

// ---- bitcast ----
//
// The elements keep their offsets in memory. Nothing flows from padding.
//
//     b = f32[3,2]{0,1} bitcast(f32[2,3]{1,0} x)                o = (2, 1) reads x(1,2): offset 5
//
// Fails if a layout does not fit its shape, or if the arrays differ both in the slots of memory and
// in the elements that they have.
// Source: XLA, HloOpcode::kBitcast; spec/layout/tiled_layout.h for the offsets.
inline absl::StatusOr<AccessRelation> accesses(const op::Bitcast& b) {
  absl::StatusOr<TiledLayout> operand = tiled_layout(*b.operand_shape);
  absl::StatusOr<TiledLayout> result = tiled_layout(*b.result_shape);
  const auto complaint = [](const auto&... parts) {
    return absl::InvalidArgumentError(absl::StrCat(parts...));
  };
  if (!result.ok()) return complaint("layout of the result: ", result.status().message());
  if (!operand.ok()) return complaint("layout of the operand: ", operand.status().message());
  if (operand->elements() != result->elements() &&
      element_count(b.operand) != element_count(b.result)) {
    return complaint("expected as many elements as in ", dims_text(b.operand), ", found ",
                     dims_text(b.result));
  }
  return AccessRelation{
      .dependences = {{.access = access::Bitcast{*std::move(result), *std::move(operand)}}}};
}

// For OperandWalk.
inline absl::Status bitcast_fits(const op::Bitcast& b) { return accesses(b).status(); }

template <class N>
AccessedElement<N> reach(const access::Bitcast& b, const IterationPoint<N>& at) {
  const N offset = offset_of(b.result, at.o);
  Preimage<N> preimage = preimage_of<N>(b.operand, offset, offset < b.operand.elements());
  return {std::move(preimage.index), preimage.exists};
}

// ---- bitcast-convert ----
//
// A wide element is a line of narrow ones, along a last dimension that the wide array lacks.
//
//     c = u8[3,4] bitcast-convert(u32[3] x)                     o = (2, 1) reads x(2)
//     c = u32[3] bitcast-convert(u8[3,4] x)                     o = (2) reads x(2,s0), s0 < 4
//
// Source: BitcastConvertType.
inline AccessRelation accesses(const op::BitcastConvert& b) {
  const int64_t rank = std::ssize(b.operand);
  if (std::ssize(b.result) >= rank) return {.dependences = {same({0}, rank)}};
  access::Projection line = same_index(rank - 1);
  line.coordinates.push_back(access::range(0));
  return {.dependences = {{.ranges = {b.operand.back()}, .access = std::move(line)}}};
}

// ---- slice ----
//
//     s = f32[2] slice(f32[8] x), slice={[2:8:3]}               o = (1) reads x(5)
//
// Source: Slice.
inline AccessRelation accesses(const op::Slice& s) { return {.dependences = {{.access = s}}}; }

template <class N>
AccessedElement<N> reach(const op::Slice& s, const IterationPoint<N>& at) {
  std::vector<N> index;
  for (size_t d = 0; d < s.limits.size(); ++d) {
    index.push_back(at.o[d] * s.limits[d].stride + N(s.limits[d].start));
  }
  return {std::move(index), true};
}

// ---- pad ----
//
// Element e of operand 0 lands at low + e * (interior + 1). Negative padding removes elements that
// land outside the result. All other result elements are the padding value, operand 1.
//
//     p = f32[5] pad(f32[2] x, f32[] v), padding=1_1_1
//
//     o = (3) reads x(1); o = (0), (2) and (4) read v()
//
// Source: Pad.
inline AccessRelation accesses(const op::Pad& p) {
  return {.dependences = {{.operand = 0, .access = p}, {.operand = 1, .access = p}}};
}

template <class N>
AccessedElement<N> reach(const op::Pad& p, const IterationPoint<N>& at, int64_t operand) {
  AccessedElement<N> landed{{}, true};
  for (size_t d = 0; d < p.limits.size(); ++d) {
    const int64_t step = p.limits[d].interior + 1;
    const N from_first = minus(at.o[d], N(p.limits[d].low));
    const N e = floordiv(from_first, step);
    append(landed, {e, mod(from_first, step) == N(0) && inside(e, p.operand[d])});
  }
  if (operand == 0) return landed;
  return {{}, !landed.in_domain};
}

// ---- concatenate ----
//
//     c = f32[2,5] concatenate(f32[2,3] x, f32[2,2] y), dimensions={1}
//
//     o = (1, 4) reads y(1,1)
//
// Source: Concatenate.
inline AccessRelation accesses(const op::Concatenate& c) {
  AccessRelation relation;
  int64_t offset = 0;
  for (int64_t k = 0; k < std::ssize(c.operands); ++k) {
    const int64_t size = c.operands[k][c.dimension];
    relation.dependences.push_back(
        {.operand = k, .access = access::Concatenate{c.dimension, offset, size}});
    offset += size;
  }
  return relation;
}

template <class N>
AccessedElement<N> reach(const access::Concatenate& c, const IterationPoint<N>& at) {
  std::vector<N> index = at.o;
  N& e = index[c.dimension];
  e = minus(e, N(c.offset));
  const Truth<N> in_domain = inside(e, c.size);
  return {std::move(index), in_domain};
}

}  // namespace tileproof::spec

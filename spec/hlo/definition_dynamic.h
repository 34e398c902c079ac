// SPDX-License-Identifier: Apache-2.0
// Definitions: operations whose offsets or indices are values at run time.
//
// `accesses` gives the access relation of a checked operation, `reach` its access function. The
// offsets are the runtime variables rt, already clamped. In the examples, x(1,2) is an element of
// operand x, and o the index of a result element.
// Source: XLA operation semantics, the section that each definition names.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "spec/hlo/dependence.h"

namespace tileproof::spec {

// Adds the offsets of a window in an array. There is a runtime variable for each dimension, clamped
// so that the window lies inside the array. The result depends on every offset everywhere.
inline void add_offsets(const op::Offsets& offsets, const Dims& array, const Dims& window,
                        AccessRelation& relation) {
  const Dims dims = offsets.in_vector ? Dims{std::ssize(array)} : Dims{};
  for (int32_t d = 0; d < std::ssize(array); ++d) {
    access::Projection element;
    if (offsets.in_vector) element.coordinates.push_back(access::constant(d));
    relation.runtime.push_back({offsets.first + (offsets.in_vector ? 0 : d), dims,
                                std::move(element), 0, array[d] - window[d]});
  }
  for (int32_t k = 0; k < offsets.count; ++k) {
    relation.dependences.push_back(universe({offsets.first + k}, dims));
  }
}

// ---- dynamic-slice ----
//
//     s = f32[2] dynamic-slice(f32[9] x, s32[] i), dynamic_slice_sizes={2}
//
//     o = (1) reads x(rt0 + 1), where rt0 is i() clamped to [0, 7]; and i()
//
// Source: DynamicSlice.
inline AccessRelation accesses(const op::DynamicSlice& s) {
  AccessRelation relation{.dependences = {{.access = s}}};
  add_offsets(s.offsets, s.operand, s.result, relation);
  return relation;
}

template <class N>
AccessedElement<N> reach(const op::DynamicSlice&, const IterationPoint<N>& at) {
  std::vector<N> index;
  for (size_t d = 0; d < at.o.size(); ++d) index.push_back(at.o[d] + at.rt[d]);
  return {std::move(index), true};
}

// ---- dynamic-update-slice ----
//
// The result is the update at rt, and operand 0 elsewhere.
//
//     u = f32[9] dynamic-update-slice(f32[9] x, f32[2] y, s32[] i)
//
//     o = (4) reads y(4 - rt0) if 0 <= 4 - rt0 < 2, otherwise x(4), where rt0 is i() clamped to
//     [0, 7]; and i()
//
// Source: DynamicUpdateSlice.
inline AccessRelation accesses(const op::DynamicUpdateSlice& u) {
  AccessRelation relation{
      .dependences = {{.operand = 0, .access = u}, {.operand = 1, .access = u}}};
  add_offsets(u.offsets, u.operand, u.update, relation);
  return relation;
}

template <class N>
AccessedElement<N> reach(const op::DynamicUpdateSlice& u, const IterationPoint<N>& at,
                         int64_t operand) {
  AccessedElement<N> update{{}, true};
  for (size_t d = 0; d < u.update.size(); ++d) {
    const N e = minus(at.o[d], at.rt[d]);
    append(update, {e, inside(e, u.update[d])});
  }
  if (operand == 1) return update;
  return {at.o, !update.in_domain};
}

// ---- gather and scatter ----

// The element of the table of indices that holds one component of an index vector. `coordinate`
// gives the coordinates of the windows: of the result, or range variables.
inline access::Projection table_element(const op::IndexedWindows& t,
                                        access::Projection::Coordinate component,
                                        access::Projection::Coordinate (*coordinate)(int64_t)) {
  access::Projection p;
  for (const int64_t d : t.batch_dims) p.coordinates.push_back(coordinate(d));
  if (t.index_vector_dim < std::ssize(t.indices)) {
    p.coordinates.insert(p.coordinates.begin() + t.index_vector_dim, component);
  }
  return p;
}

// The index in the array of element w of the windows: the start of its window plus the offset in
// the window. A batching dimension has the coordinate that it has in the batch.
template <class N>
std::vector<N> array_element(const op::IndexedWindows& t, const std::vector<N>& w,
                             const std::vector<N>& rt) {
  std::vector<N> index(t.array.size(), N(0));
  for (size_t k = 0; k < t.kept.size(); ++k) index[t.kept[k]] = w[t.window_dims[k]];
  for (size_t k = 0; k < t.array_batching.size(); ++k) {
    const int64_t d = t.indices_batching[k];
    index[t.array_batching[k]] = w[t.batch_dims[d > t.index_vector_dim ? d - 1 : d]];
  }
  for (size_t k = 0; k < t.start_map.size(); ++k) {
    index[t.start_map[k]] = index[t.start_map[k]] + rt[k];
  }
  return index;
}

// ---- gather ----
//
// result[batch, offset] = array[start + offset], where the start is the index vector of the batch,
// clamped so that the window lies inside the array. There is a runtime variable for each component.
//
//     g = f32[5,2] gather(f32[9,4] x, s32[5,1] i), offset_dims={1}, collapsed_slice_dims={0},
//         start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}
//
//     o = (3, 1) reads x(rt0, 1), where rt0 is i(3,0) clamped to [0, 8]; and i(3,s0), s0 < 1
//
// A window of size 0 in a collapsed or batching dimension has no elements. The result then has
// zeros, and no element of the array flows. (XLA compiles this; its semantics are those of running
// it.)
//
//     slice_sizes={0,2}      o = (3, 1) reads i(3,s0), s0 < 1, and nothing of x
//
// Source: Gather.
inline AccessRelation accesses(const op::Gather& gather) {
  const op::IndexedWindows& t = gather.table;
  AccessRelation relation{.dependences = {{.access = gather}}};
  for (int64_t k = 0; k < std::ssize(t.start_map); ++k) {
    const int64_t d = t.start_map[k];
    relation.runtime.push_back({1, t.indices, table_element(t, access::constant(k), access::output),
                                0, t.array[d] - t.window_sizes[d]});
  }
  Dims components;
  if (t.index_vector_dim < std::ssize(t.indices)) {
    components.push_back(t.indices[t.index_vector_dim]);
  }
  relation.dependences.push_back({.operand = 1,
                                  .ranges = std::move(components),
                                  .access = table_element(t, access::range(0), access::output)});
  return relation;
}

template <class N>
AccessedElement<N> reach(const op::Gather& gather, const IterationPoint<N>& at) {
  bool has_elements = true;
  for (const int64_t size : gather.table.window_sizes) has_elements = has_elements && size > 0;
  return {array_element(gather.table, at.o, at.rt), has_elements};
}

// ---- scatter ----
//
// The result is the array. Then each element s of the updates whose window lies wholly inside the
// array lands on its element: result[o] = f(result[o], updates[s]). With several arrays, f takes
// the elements of all arrays at o and of all updates at s, so each flows into all results at o. The
// indices decide everywhere which updates land.
//
//     s = f32[9] scatter(f32[9] x, s32[5,1] i, f32[5] u), update_window_dims={},
//         inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
//
//     o = (4) reads x(4); u(s0) if rt0 == 4, where rt0 is i(s0,0), s0 < 5; and every element of i
//
// The range variables are the index s. A scatter does not clamp. But all values below 0 skip the
// window, and so do all values above the array's size. So rt is clamped to [-1, size + 1]. (A start
// at the size is inside if the window is empty.)
// Source: Scatter.
inline AccessRelation accesses(const op::Scatter& scatter, int64_t part) {
  const op::IndexedWindows& t = scatter.table;
  const int32_t indices = scatter.inputs, first_updates = scatter.inputs + 1;
  AccessRelation relation;
  for (int64_t k = 0; k < std::ssize(t.start_map); ++k) {
    relation.runtime.push_back({indices, t.indices,
                                table_element(t, access::constant(k), access::range), -1,
                                t.array[t.start_map[k]] + 1});
  }
  for (int32_t k = 0; k < scatter.inputs; ++k) {
    relation.dependences.push_back(
        k == part ? same({k}, std::ssize(t.array))
                  : Dependence{.operand = k, .ranges = t.windows, .access = scatter});
    relation.dependences.push_back(
        {.operand = first_updates + k, .ranges = t.windows, .access = scatter});
  }
  relation.dependences.push_back(universe({indices}, t.indices));
  return relation;
}

template <class N>
AccessedElement<N> reach(const op::Scatter& scatter, const IterationPoint<N>& at, int64_t operand) {
  const op::IndexedWindows& t = scatter.table;
  const std::vector<N> landing = array_element(t, at.s, at.rt);
  Truth<N> lands = true;
  for (size_t k = 0; k < t.start_map.size(); ++k) {
    const int64_t d = t.start_map[k];
    lands = lands && inside(at.rt[k], t.array[d] - t.window_sizes[d] + 1);
  }
  for (size_t d = 0; d < t.array.size(); ++d) lands = lands && at.o[d] == landing[d];
  return {operand < scatter.inputs ? at.o : at.s, lands};
}

}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// Definitions: operations that run along whole dimensions. All their access functions are
// projections.
//
// `accesses` gives the access relation of a checked operation. In the examples, x(1,2) is an
// element of operand x, and o the index of a result element.
// Source: XLA operation semantics, the section that each definition names.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "spec/hlo/dependence.h"

namespace tileproof::spec {

// ---- dot ----
//
// result[batch, i.., j..] = the sum over s.. of lhs[batch, i.., s..] * rhs[batch, j.., s..], where
// each operand has its batch, free (i.. or j..) and contracting (s..) dimensions in any order.
//
//     d = f32[5,2,4] dot(f32[5,2,3] a, f32[5,3,4] b), lhs_batch_dims={0}, lhs_contracting_dims={2},
//         rhs_batch_dims={0}, rhs_contracting_dims={1}
//
//     o = (4, 1, 3) reads a(4, 1, s0) and b(4, s0, 3), s0 < 3
//
// Source: Dot, DotGeneral.
inline access::Projection side_of_dot(const std::vector<int64_t>& batch,
                                      const std::vector<int64_t>& contracting,
                                      const std::vector<int64_t>& free, int64_t first_free) {
  access::Projection p;
  p.coordinates.resize(batch.size() + contracting.size() + free.size());
  for (int64_t k = 0; k < std::ssize(batch); ++k) p.coordinates[batch[k]] = access::output(k);
  for (int64_t k = 0; k < std::ssize(free); ++k) {
    p.coordinates[free[k]] = access::output(first_free + k);
  }
  for (int64_t k = 0; k < std::ssize(contracting); ++k) {
    p.coordinates[contracting[k]] = access::range(k);
  }
  return p;
}

inline AccessRelation accesses(const op::Dot& d) {
  const DotDimensionNumbers& n = d.numbers;
  const int64_t batch = std::ssize(n.lhs_batch);
  Dims contracted;
  for (const int64_t k : n.lhs_contracting) contracted.push_back(d.lhs[k]);
  access::Projection lhs = side_of_dot(n.lhs_batch, n.lhs_contracting, d.lhs_free, batch);
  access::Projection rhs =
      side_of_dot(n.rhs_batch, n.rhs_contracting, d.rhs_free, batch + std::ssize(d.lhs_free));
  return {.dependences = {{.operand = 0, .ranges = contracted, .access = std::move(lhs)},
                          {.operand = 1, .ranges = contracted, .access = std::move(rhs)}}};
}

// ---- reduce ----
//
// Each result element depends on the reduced dimensions of all inputs, and on all inits.
//
//     r = (f32[2], s32[2]) reduce(f32[2,3] x, s32[2,3] i, f32[] x0, s32[] i0), dimensions={1}
//
//     o = (1) of both parts reads x(1,s0) and i(1,s0), s0 < 3, and x0() and i0()
//
// Source: Reduce.
inline AccessRelation accesses(const op::Reduce& r) {
  access::Projection p = same_index(std::ssize(r.operand));
  Dims reduced;
  for (const int64_t d : r.dimensions) {
    p.coordinates[d] = access::range(std::ssize(reduced));
    reduced.push_back(r.operand[d]);
  }
  for (int64_t k = 0; k < std::ssize(r.kept); ++k) p.coordinates[r.kept[k]] = access::output(k);
  AccessRelation relation;
  for (int32_t k = 0; k < r.inputs; ++k) {
    relation.dependences.push_back({.operand = k, .ranges = reduced, .access = p});
    relation.dependences.push_back(scalar(r.inputs + k));
  }
  return relation;
}

// ---- sort ----
//
// Where an element goes depends on its whole line, in all operands.
//
//     s = (f32[2,3], s32[2,3]) sort(f32[2,3] keys, s32[2,3] values), dimensions={1}
//
//     o = (1, 2) of both parts reads keys(1,s0) and values(1,s0), s0 < 3
//
// Source: Sort.
inline AccessRelation accesses(const op::Sort& s) {
  access::Projection p = same_index(std::ssize(s.dims));
  Dims line;
  if (s.dimension) {
    p.coordinates[*s.dimension] = access::range(0);
    line.push_back(s.dims[*s.dimension]);
  }
  AccessRelation relation;
  for (int32_t k = 0; k < s.operands; ++k) {
    relation.dependences.push_back({.operand = k, .ranges = line, .access = p});
  }
  return relation;
}

// ---- topk ----
//
// The k largest elements of each line along the last dimension, and their indices in it.
//
//     t = (f32[2,3], s32[2,3]) topk(f32[2,9] x), k=3, largest=true
//
//     o = (1, 2) of both parts reads x(1,s0), s0 < 9
//
// Source: TopK.
inline AccessRelation accesses(const op::TopK& t) {
  access::Projection line = same_index(std::ssize(t.operand) - 1);
  line.coordinates.push_back(access::range(0));
  return {.dependences = {{.ranges = {t.operand.back()}, .access = std::move(line)}}};
}

}  // namespace tileproof::spec

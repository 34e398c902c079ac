// SPDX-License-Identifier: Apache-2.0
// Definitions: collectives, as one replica sees them.
//
// All replicas run one program on arrays of one shape. What comes from another replica counts as
// coming from this one, at the same index of the operand.
//
// `accesses` gives the access relation of one part of the result of a checked operation, `reach`
// its access function. In the examples, x(1,2) is an element of operand x, and o the index of a
// result element.
// Source: XLA operation semantics, the section that each definition names. docs/manual.md,
// "Collectives", describes the view of one replica.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "spec/hlo/dependence.h"

namespace tileproof::spec {

// Element e of a chunk of the result is element e of a chunk of the operand: of any chunk s0, or of
// the only one.
template <class N>
AccessedElement<N> reach(const access::Chunk& c, const IterationPoint<N>& at) {
  std::vector<N> index = at.o;
  N& e = index[c.dimension];
  e = mod(e, std::max<int64_t>(c.size, 1));
  if (c.any) e = e + at.s[0] * c.size;
  return {std::move(index), true};
}

// ---- all-gather ----
//
// The operands of all replicas, side by side.
//
//     g = f32[8] all-gather(f32[2] x), dimensions={0}           o = (5) reads x(1)
//
// Source: AllGather.
inline AccessRelation accesses(const op::AllGather& a, int64_t part) {
  const op::CollectivePart& p = a.parts[part];
  const access::Chunk chunk{a.dimension, p.operand[a.dimension], false};
  return {.dependences = {{p.from.operand, p.from.leaf, {}, chunk}}};
}

// ---- reduce-scatter ----
//
// The replicas' operands are reduced element by element. Each replica gets one chunk, which may be
// any.
//
//     r = f32[2] reduce-scatter(f32[8] x), dimensions={0}       o = (1) reads x(1 + 2 * s0), s0 < 4
//
// Source: ReduceScatter.
inline AccessRelation accesses(const op::ReduceScatter& r, int64_t part) {
  const op::CollectivePart& p = r.parts[part];
  const int64_t size = p.result[r.dimension];
  const int64_t chunks = size == 0 ? 0 : p.operand[r.dimension] / size;
  const access::Chunk chunk{r.dimension, size, true};
  return {.dependences = {{p.from.operand, p.from.leaf, {chunks}, chunk}}};
}

// ---- all-reduce, collective-broadcast ----
//
// The replicas' elements at one index are reduced, or one replica's element is taken.
//
//     r = f32[8] all-reduce(f32[8] x)                           o = (5) reads x(5)
//
// Source: AllReduce, CollectiveBroadcast.
inline AccessRelation accesses(const op::AllReduce& a, int64_t part) {
  const op::CollectivePart& p = a.parts[part];
  return {.dependences = {same(p.from, std::ssize(p.operand))}};
}

// ---- collective-permute ----
//
// The operand of another replica.
//
//     p = f32[8] collective-permute(f32[8] x), source_target_pairs={{0,1},{1,0}}
//
//     o = (5) reads x(5)
//
// Source: CollectivePermute.
inline AccessRelation accesses(const op::CollectivePermute& c, int64_t part) {
  const op::CollectivePart& p = c.parts[part];
  return {.dependences = {same(p.from, std::ssize(p.operand))}};
}

// ---- all-to-all ----
//
// Each replica cuts its operand into a chunk for each replica of the group, and joins the chunks
// that it gets. They may be any.
//
//     a = f32[8] all-to-all(f32[8] x), dimensions={0}, replica_groups={{0,1}}
//
//     o = (5) reads x(1 + 4 * s0), s0 < 2
//
// Source: AllToAll.
inline AccessRelation accesses(const op::ArrayAllToAll& a) {
  const access::Chunk chunk{a.dimension, a.dims[a.dimension] / a.chunks, true};
  return {.dependences = {{.ranges = {a.chunks}, .access = chunk}}};
}

// Each replica has an operand for each replica of the group, and a result from each.
//
//     a = (f32[8], f32[8]) all-to-all(f32[8] x, f32[8] y), replica_groups={{0,1}}
//
//     o = (5) of both parts reads x(5) and y(5)
inline AccessRelation accesses(const op::TupleAllToAll& a) {
  AccessRelation relation;
  for (const OperandLeaf from : a.operands) {
    relation.dependences.push_back(same(from, std::ssize(a.dims)));
  }
  return relation;
}

}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// The access relation of an instruction: a list of dependences on its operands.
//
// A dependence names an array of an operand, ranges for the range variables s, and an access
// function. The relation is the union of its dependences:
//
//     element i of an array flows into o   if   a dependence on that array has s within its ranges
//                                               with reach(o, s, rt).index == i, in the domain
//
//     p = f32[4] pad(f32[2] x, f32[] v), padding=1_0_1
//
//         operand 0   o = (1) reads x(0)    o = (3) reads x(1)
//         operand 1   o = (0) and o = (2) read v()
//
// Runtime variables. Some access functions depend on values of an offset operand. A runtime
// variable says which element of which operand it reads (given o, and s for scatter), and the
// bounds to which that value is clamped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "spec/hlo/access_function.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {

namespace access {

// The element at the same offset in memory.
struct Bitcast {
  TiledLayout result;
  TiledLayout operand;
};

// One operand of a concatenate: its elements are those of the result from `offset` on.
struct Concatenate {
  int64_t dimension = 0;
  int64_t offset = 0;
  int64_t size = 0;
};

// Element e of a chunk of the result is element e of a chunk of the operand: of chunk s0 if `any`,
// else of the only one.
struct Chunk {
  int64_t dimension = 0;
  int64_t size = 1;
  bool any = false;
};

// A projection whose coordinates exist up to the row of the result: o[row] >= s[column].
struct Causal {
  Projection projection;
  int64_t row = 0;
  int64_t column = 0;
};

// The element that an affine map names, if the operand has it.
struct Read {
  op::Read read;
};

}  // namespace access

// An access function, by the data that it needs. An operation such as op::Pad has one function for
// each of its operands; the operand of the dependence selects it. The files definition_*.h define
// `reach` for each alternative.
using Access = std::variant<access::Projection, access::Bitcast, access::Concatenate, access::Chunk,
                            access::Causal, access::Read, op::Reshape, op::Reverse, op::Slice,
                            op::Pad, op::ReduceWindow, op::Convolution, op::SelectAndScatter,
                            op::DynamicSlice, op::DynamicUpdateSlice, op::Gather, op::Scatter>;

struct Dependence {
  int64_t operand = 0;
  int64_t leaf = 0;  // of the operand
  Dims ranges = {};  // s[k] is in [0, ranges[k])
  Access access;
};

struct RuntimeVariable {
  int64_t operand = 0;         // the array whose element is the value
  Dims dims;                   // of that operand
  access::Projection element;  // the element of it, given o (and s)
  int64_t low = 0;             // the value is clamped to [low, high]
  int64_t high = 0;
};

// The part of the result is leaf `leaf` of the root of this computation, whose parameters are the
// instruction's operands.
struct Callee {
  int32_t computation = -1;
  int64_t leaf = 0;
};

// One branch of a conditional: its part of the result is leaf `leaf` of the root, and its only
// parameter is operand `operand`.
struct Branch {
  int32_t computation = -1;
  int64_t leaf = 0;
  int32_t operand = 0;
};

// A loop: this leaf of its state, after the last iteration. The state before the first is operand
// 0.
struct Loop {
  op::While loop;
  int64_t leaf = 0;
};

struct AccessRelation {
  std::vector<RuntimeVariable> runtime = {};
  std::vector<Dependence> dependences = {};
  std::optional<Callee> callee = std::nullopt;  // then there are no dependences
  std::vector<Branch> branches = {};            // united with the dependences
  std::optional<Loop> loop = std::nullopt;      // then there are no dependences
  std::string conservative = {};  // why everything flows; empty if the relation is exact
};

// (o0, o1, ..)
inline access::Projection same_index(int64_t rank) {
  access::Projection p;
  for (int64_t d = 0; d < rank; ++d) p.coordinates.push_back(access::output(d));
  return p;
}

// The element at the index of the result element, of an array of this rank.
inline Dependence same(OperandLeaf from, int64_t rank) {
  return {from.operand, from.leaf, {}, same_index(rank)};
}

// The only element of a scalar.
inline Dependence scalar(int32_t operand) { return {operand, 0, {}, access::Projection{}}; }

// Every element of an array.
inline Dependence universe(OperandLeaf from, const Dims& dims) {
  access::Projection p;
  for (int64_t d = 0; d < std::ssize(dims); ++d) p.coordinates.push_back(access::range(d));
  return {from.operand, from.leaf, dims, std::move(p)};
}

}  // namespace tileproof::spec

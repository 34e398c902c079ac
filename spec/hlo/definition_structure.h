// SPDX-License-Identifier: Apache-2.0
// Definitions: tuples, calls and asynchronous operations; and operations without structure.
//
// `accesses` gives the access relation of one part of the result of a checked operation. In the
// examples, x(1,2) is an element of operand x, and o the index of a result element.
// Source: XLA operation semantics, the section that each definition names.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/hlo/dependence.h"

namespace tileproof::spec {

// spec/hlo/access_relation.h
absl::StatusOr<AccessRelation> access_relation_of(const CheckedOp& op, int64_t part);

// ---- tuple, get-tuple-element, copy-start, opt-barrier, .. ----
//
// Each part of the result is an array of an operand as it is. Nothing flows into a context.
//
//     e = s32[4] get-tuple-element((f32[2], s32[4]) t), index=1
//
//     o = (3) reads element (3) of leaf 1 of t
//
// Source: Tuple, GetTupleElement, OptimizationBarrier, AddDependency; XLA,
// HloOpcode::kCopyStart.
inline AccessRelation accesses(const op::Forward& f, int64_t part, const CheckedOp& op) {
  if (!f.from[part]) return {};
  return {.dependences = {same(*f.from[part], std::ssize(op.result[part].dims))}};
}

// ---- fusion, call ----
//
// Part k of the result is leaf k of the root of the called computation.
//
//     c = f32[4] call(f32[4] x), to_apply=%f        part 0 is leaf 0 of the root of f
//
// Source: Fusion, Call.
inline AccessRelation accesses(const op::Call& c, int64_t part) {
  return {.callee = Callee{c.computation, part}};
}

// ---- while ----
//
// The state before the first iteration is the operand. Each iteration replaces it by the root of the
// body, whose parameter it is. Leaf k of the result is leaf k of the last state.
//
//     w = (s32[], f32[4]) while(t), condition=%c, body=%b      three iterations: b(b(b(t)))
//
// The loop runs if the condition has a value each time, as it has if constants and counters decide it
// (spec/hlo/term_interpreter.h). Then what flows is this composition, and the condition decides
// nothing else. If it has none, the relation is conservative: a leaf that the body hands on is that
// leaf of the operand; to any other leaf, all elements flow of all leaves from which the body or the
// condition can get there.
//
// Source: While.
inline AccessRelation accesses(const op::While& loop, int64_t part) {
  return {.loop = Loop{loop, part}};
}

// ---- conditional ----
//
// Part k of the result is leaf k of the root of one of the branches: which one is not known, so what
// flows is their union. As the predicate of a select, operand 0 flows to every element.
//
//     c = f32[4] conditional(p, x, y), branch_computations={%f, %g}     f(x) or g(y), and p
//
// Source: Conditional.
inline AccessRelation accesses(const op::Conditional& conditional, int64_t part) {
  AccessRelation relation{.dependences = {scalar(0)}};
  for (const int32_t branch : conditional.branches) {
    const auto operand = static_cast<int32_t>(relation.branches.size() + 1);
    relation.branches.push_back({branch, part, operand});
  }
  return relation;
}

// ---- async-start, all-gather-start, .. ----
//
// The result is (operands, results, contexts): first the operands as they are, then the results of
// the operation, then contexts, into which nothing flows.
//
//     s = ((f32[4]), f32[4], u32[]) negate-start(f32[4] x)
//
//     o = (3) of part 0 reads x(3); o = (3) of part 1 reads x(3); o = () of part 2 reads nothing
//
// Source: Async; XLA, HloOpcode::kAsyncStart.
inline absl::StatusOr<AccessRelation> accesses(const op::Start& start, int64_t part,
                                               const CheckedOp& op) {
  const int64_t operands = std::ssize(start.operands);
  if (part < operands) {
    const int64_t rank = std::ssize(op.result[part].dims);
    return AccessRelation{.dependences = {same(start.operands[part], rank)}};
  }
  part -= operands;
  if (part >= std::ssize(start.operation->result)) return AccessRelation{};
  return access_relation_of(*start.operation, part);
}

// ---- Operations without operands, tokens ----
//
// Nothing flows: a token has no elements, and get-dimension-size reads the size only.
inline AccessRelation accesses(const op::Source&) { return {}; }
inline AccessRelation accesses(const op::Token&) { return {}; }
inline AccessRelation accesses(const op::GetDimensionSize&) { return {}; }

// ---- Everything flows everywhere ----

// Every element of every operand.
inline AccessRelation everything(const CheckedOp& op) {
  AccessRelation relation;
  for (int32_t k = 0; k < std::ssize(op.operands); ++k) {
    for (int32_t leaf = 0; leaf < std::ssize(op.operands[k]); ++leaf) {
      relation.dependences.push_back(universe({k, leaf}, op.operands[k][leaf].dims));
    }
  }
  return relation;
}

// Every element depends on the parameters of the distribution.
//
//     r = f32[8] rng(f32[] low, f32[] high), distribution=rng_uniform
//
//     o = (5) reads low() and high()
//
// Source: RngUniform.
inline AccessRelation accesses(const op::Rng&, int64_t, const CheckedOp& op) {
  return everything(op);
}

// An operation on whole arrays, or one whose structure is not in the text: the relation is
// conservative.
//
//     c = f32[8] cholesky(f32[8,8] x)
//
//     o = (5) reads x(s0, s1), s0 < 8, s1 < 8
inline AccessRelation accesses(const op::Opaque& opaque, int64_t, const CheckedOp& op) {
  AccessRelation relation = everything(op);
  relation.conservative = opaque.reason;
  return relation;
}

// ---- custom-call ----
//
// custom_call.cc has the targets of which something is known. All others are conservative.
AccessRelation accesses(const op::CustomCall& call, int64_t part, const CheckedOp& op);

template <class N>
AccessedElement<N> reach(const access::Causal& causal, const IterationPoint<N>& at) {
  AccessedElement<N> reached = reach(causal.projection, at);
  reached.in_domain = !(minus(at.o[causal.row], at.s[causal.column]) < int64_t{0});
  return reached;
}

// The values of the map's nodes, operands first.
template <class N>
AccessedElement<N> reach(const access::Read& access, const IterationPoint<N>& at) {
  const IndexingMap& map = access.read.map;
  std::vector<N> values;
  for (const Node& node : map.nodes) {
    const auto is_number = [&](NodeId id) { return map.nodes[id].op == Op::kConstant; };
    const auto number = [&](NodeId id) { return map.nodes[id].value; };
    const auto value = [&] {
      switch (node.op) {
        case Op::kDimension:
          return at.o[node.value];
        case Op::kAdd:
          return values[node.left] + values[node.right];
        case Op::kMul:
          return is_number(node.right) ? values[node.left] * number(node.right)
                                       : values[node.right] * number(node.left);
        case Op::kFloorDiv:
          return floordiv(values[node.left], number(node.right));
        case Op::kCeilDiv:
          return floordiv(values[node.left] * int64_t{-1}, number(node.right)) * int64_t{-1};
        case Op::kMod:
          return mod(values[node.left], number(node.right));
        default:
          return N(node.value);
      }
    };
    values.push_back(value());
  }
  AccessedElement<N> reached{{}, true};
  for (size_t d = 0; d < map.results.size(); ++d) {
    const N& e = values[map.results[d]];
    append(reached, {e, inside(e, access.read.operand[d])});
  }
  return reached;
}

}  // namespace tileproof::spec

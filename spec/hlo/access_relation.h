// SPDX-License-Identifier: Apache-2.0
// The access relation of an instruction: which elements of its operands flow into its result.
//
// access_relation_of takes one instruction and one part of its result (a leaf: an array of the
// result's shape, counted from left to right). It gives the list of dependences that
// spec/hlo/dependence.h explains.
//
// To read the definitions, start with access_function.h and dependence.h. Then each operation has
// its definition in one of
//
//     definition_movement.h     elementwise, broadcast, transpose, reshape, slice, pad, ..
//     definition_reduce.h       dot, reduce, sort, topk
//     definition_window.h       reduce-window, convolution, select-and-scatter
//     definition_dynamic.h      dynamic-slice, dynamic-update-slice, gather, scatter
//     definition_collective.h   all-gather, reduce-scatter, all-reduce, all-to-all, ..
//     definition_structure.h    tuples, calls, asynchronous operations, opaque operations
//     custom_call.cc            targets of custom calls
//
// checked_op (spec/lang/hlo/checked_op.h) refuses instructions whose shapes and attributes do not
// fit; the definitions take what it accepts. Building a relation takes time in proportion to shapes
// and attributes, not to elements. It is written once: the interpreter (spec/hlo/provenance.h)
// enumerates it, and proofs assert it.
//
// Runtime variables are declared in the order of the offset operands, or, for a gather or scatter,
// in the order of start_index_map.
//
// What flows if the definition of an operation leaves a choice:
//
//     convolution          if the window lies on padding or a hole, neither input nor kernel flows
//     select-and-scatter   operand elements under a window flow to every element under it
//     scatter              other arrays flow only where an update lands
//     reduce-scatter,      any chunk of the operand, as any replica may have it
//       all-to-all
//     other collectives    the same index, as if of another replica
//     set-dimension-size   the array's own element; the size flows everywhere
//     topk                 the whole last line
//     tokens               carry no element; get-dimension-size reads no element
//
// Conservative relations. For an operation without element structure, and for one whose structure
// is not in the text, every element of every operand flows to every element of the result.
// `conservative` says why.
// Source: XLA operation semantics (docs/sources.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/hlo/definition_collective.h"
#include "spec/hlo/definition_dynamic.h"
#include "spec/hlo/definition_movement.h"
#include "spec/hlo/definition_reduce.h"
#include "spec/hlo/definition_structure.h"
#include "spec/hlo/definition_window.h"
#include "spec/hlo/dependence.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::spec {

// The relation of a part of the result. Errors:
//
// * OutOfRange: a number of padding, a window or a scatter is beyond 2^56. Access functions add few
//   such numbers, so int64 does not wrap. No real size comes near.
// * InvalidArgument: the layouts of a bitcast do not fit; checked_op refuses the instruction; the
//   part does not exist.
absl::StatusOr<AccessRelation> access_relation_of(const HloModule& module, int32_t computation,
                                                  int32_t instruction, int64_t part);

// The same, of an instruction that is checked already. It names the instruction in errors.
absl::StatusOr<AccessRelation> access_relation_of(const HloInstruction& instruction,
                                                  const CheckedOp& op, int64_t part);

// The same without a name in errors. The part must exist.
absl::StatusOr<AccessRelation> access_relation_of(const CheckedOp& op, int64_t part);

// The leaf of an operand that an instruction hands on as this leaf of its result: a tuple, a copy, ..
std::optional<OperandLeaf> handed_on(const HloModule& module, const HloComputation& within,
                                     const HloInstruction& instruction, int64_t leaf);

// Whether leaf `leaf` of the root of a computation with one parameter is that leaf of the parameter:
// handed on from one instruction to the next.
bool passes_through(const HloModule& module, int32_t computation, int64_t leaf);

// Why the relation of a loop is conservative.
inline constexpr char kUnknownLoop[] = "while: the number of iterations is not known";

// Access functions of operations with several operands also take the operand's number.
template <class N>
AccessedElement<N> reach(const Dependence& dependence, const IterationPoint<N>& at) {
  return std::visit(
      [&](const auto& access) {
        if constexpr (requires { reach(access, at, dependence.operand); }) {
          return reach(access, at, dependence.operand);
        } else {
          return reach(access, at);
        }
      },
      dependence.access);
}

// Whether s is within its ranges and reach(o, s, rt) is the element `index` of the operand. The
// result element o depends on that element if this holds for some s.
template <class N>
Truth<N> depends_on(const Dependence& dependence, const IterationPoint<N>& at,
                    const std::vector<N>& index) {
  const AccessedElement<N> reached = reach(dependence, at);
  Truth<N> result = reached.in_domain;
  for (size_t k = 0; k < dependence.ranges.size(); ++k) {
    result = result && inside(at.s[k], dependence.ranges[k]);
  }
  for (size_t d = 0; d < index.size(); ++d) result = result && reached.index[d] == index[d];
  return result;
}

}  // namespace tileproof::spec

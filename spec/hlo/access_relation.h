// What flows from operands into the result of an instruction: the definition of every operation.
//
// access_relation_of gives, for one instruction and one leaf of its result, a list of flows. Each names an
// operand (and a leaf of it) and tells, as a function over any number type (spec/hlo/access_function.h), which of
// its elements flow into the result element o. The relation is the union of the flows:
//
//     i of operand k flows into o   when   for a flow of k there are s in its ranges with
//                                          reach(o, s, rt).index == i and reach(o, s, rt).flows
//
//     p = f32[4] pad(f32[2] x, f32[] v), padding=1_0_1
//
//         operand 0   Pad        o = (1): (0)    o = (3): (1)
//         operand 1   PadValue   o = (0), (2): ()
//
// It depends on nothing but the instruction and the shapes of its operands, takes time in
// proportion to them, not to their elements, and is written once: enumerated it is the reference
// interpreter (spec/hlo/provenance.h), asserted it is what a solver proves maps against. Whoever reads
// flow*.h and relation_*.cc has read every definition.
//
// Leaves. A tuple is the list of its arrays from left to right, nested ones in place; an array is
// its own only leaf 0; an empty tuple has none. Tokens and opaque values are leaves without
// elements (their dimensions count as {0}). `<=n` counts as n. A buffer is its array.
//
// Runtime variables. Some flows depend on values of an offset operand. Each is a variable: which
// element of which operand it reads (given o, and s for scatter), and the bounds to which that
// value is clamped. One is declared per offset, in operand order, or per component of an index
// vector, in the order of start_index_map. A scatter does not clamp; but all values below 0, and
// all above the operand's size, do the same (the window is skipped), so -1 and the size stand for
// them (the size plus one, as a window may be empty).
//
// What flows where INTERFACE, section 2 "HLO" leaves a choice:
// * where a convolution's window lies on padding or a hole, nothing flows, neither from the kernel;
// * select-and-scatter: the operand's elements under a window flow to every place of that window,
//   because the choice is made among them; its init flows everywhere;
// * a scatter with several operands: the others flow only where an update lands;
// * reduce-scatter and all-to-all: any chunk of the operand, as any replica may have it; permutes
//   and broadcasts of collectives: the same index, as if of another replica;
// * topk: the whole last line; set-dimension-size: the array's own element, and the size
// everywhere;
//   a token never carries an element; get-dimension-size is given no element;
// * asynchronous operations: the start's operand part is its operands, its result part what the
//   operation gives, further parts (contexts) nothing; the update and done pass on what they are
//   given.
//
// Conservative relations: for operations without element structure, and for those whose structure
// is not written down here, every element of every operand flows to every element of the result,
// and `conservative` says why. Errors name the instruction and what does not fit.
// Source: INTERFACE, section 2 "HLO"; XLA's operation semantics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/hlo/access_function_dynamic.h"
#include "spec/hlo/access_function_movement.h"
#include "spec/hlo/access_function_window.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::spec {

using Access =
    std::variant<access::Projection, access::Reshape, access::Bitcast, access::Slice,
                 access::Reverse, access::Pad, access::PadValue, access::Concatenate, access::Chunk,
                 access::ReduceWindow, access::ConvolutionInput, access::ConvolutionKernel,
                 access::SelectAndScatterSource, access::SelectAndScatterOperand,
                 access::DynamicSlice, access::DynamicUpdate, access::DynamicUpdateOperand,
                 access::Gather, access::ScatterUpdate, access::ScatterOtherOperand>;

struct Dependence {
  int64_t operand = 0;
  int64_t leaf = 0;  // of the operand
  Dims ranges;       // s[k] is in [0, ranges[k])
  Access access;
};

struct RuntimeVariable {
  int64_t operand = 0;         // whose value it is, an array
  Dims dims;                   // of that operand
  access::Projection element;  // the element of it, given o (and s)
  int64_t low = 0;             // the value is clamped to [low, high]
  int64_t high = 0;
};

// The instruction's result leaf is leaf `leaf` of the root of this computation, whose parameters
// are the instruction's operands.
struct Callee {
  int32_t computation = -1;
  int64_t leaf = 0;
};

struct AccessRelation {
  std::vector<RuntimeVariable> runtime = {};
  std::vector<Dependence> dependences = {};
  std::optional<Callee> callee = std::nullopt;  // then there are no flows
  std::string conservative = {};  // why the flows are everything; empty where they are exact
};

absl::StatusOr<AccessRelation> access_relation_of(const HloModule& module, int32_t computation,
                                                  int32_t instruction, int64_t leaf);

// One leaf of a shape: its dimensions, with bounds for bounded ones, {0} without elements. The
// array belongs to the shape that was asked about.
struct Leaf {
  Dims dims;
  const Shape* array = nullptr;
};

// All leaves. An error for a dimension of unknown size.
absl::StatusOr<std::vector<Leaf>> leaves_of(const Shape& shape);

// What can be said about an instruction without looking at any element.
struct Classification {
  enum class Kind : uint8_t {
    kDefined,       // exactly what flows is known
    kConservative,  // everything flows, for the reason
    kNoDataflow,    // no element of an operand flows anywhere: parameter, constant, iota, ..
    kBeyond,        // nothing: numbers beyond those that the reference treats
    kRefused,       // attributes and shapes do not fit; the reason is the error
  };
  Kind kind = Kind::kNoDataflow;
  std::string reason;
};

// Of every instruction, by computation and place. One that enters a computation is conservative,
// beyond or refused where an instruction of that computation is.
std::vector<std::vector<Classification>> classify(const HloModule& module);

template <class N>
AccessedElement<N> reach(const Dependence& dependence, const IterationPoint<N>& at) {
  return std::visit([&](const auto& w) { return reach(w, at); }, dependence.access);
}

// That s is within its ranges and the element `index` of the operand flows into o by them. The
// relation holds when this does for some s.
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

// SPDX-License-Identifier: Apache-2.0
// Follows a value back to the element that defines it. The reference, the analysis and the proofs
// use this walk to find the element that a runtime variable reads.
//
//     f { q = s32[4] parameter(0)
//         ROOT r = s32[4] reverse(q), dimensions={0} }
//     c = s32[4] call(p), to_apply=f
//
//     element (0) of c  ->  (0) of c/r  ->  (3) of c/q  ->  (3) of p
//
// This file only enters and leaves computations. Which operations copy a value, and from which
// element of which operand, is semantics: the caller passes that as a function.
// An index has the type that the caller needs: numbers, symbols, or a map.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// The part of a module in which values are followed.
struct FollowRegion {
  // kParameters: everything that leads to an instruction of the computation.
  // kOperands: one instruction, so positions without calls are outside.
  enum class UpTo : uint8_t { kParameters, kOperands };

  const HloModule& module;
  int32_t computation = 0;  // positions are seen from here
  UpTo up_to = UpTo::kParameters;

  bool is_outside(const HloPosition& position) const {
    return up_to == UpTo::kOperands && position.calls.empty();
  }
  const HloInstruction& at(const HloPosition& position) const {
    return module.computations[computation_at(module, computation, position.calls)]
        .instructions[position.instruction];
  }
};

template <class Index>
struct ElementAt {
  HloPosition position;
  Index index;

  bool operator==(const ElementAt&) const = default;
  auto operator<=>(const ElementAt&) const = default;
};

template <class Index>
struct OperandElement {
  int64_t operand = 0;  // its position in the list of operands
  int64_t leaf = 0;
  Index index;
};

// The position that has the same value at the same index, if it is across a call: the argument of
// the caller for a parameter, the root of the computation for a call or fusion. (An async-start has
// more leaves than its computation's root.) The position must be inside the region.
inline std::optional<HloPosition> through_call(const FollowRegion& region, HloPosition position) {
  const HloInstruction& instruction = region.at(position);
  if (instruction.opcode == HloOpcode::kParameter && !position.calls.empty()) {
    const int32_t call = position.calls.back();
    position.calls.pop_back();
    position.instruction = call;
    const std::vector<HloOperand>& arguments = region.at(position).operands;
    if (instruction.parameter_number >= std::ssize(arguments)) return std::nullopt;
    position.instruction = arguments[instruction.parameter_number].instruction;
    return position;
  }
  if (instruction.opcode == HloOpcode::kCall || instruction.opcode == HloOpcode::kFusion) {
    const int32_t callee = callee_of(instruction);
    if (callee < 0) return std::nullopt;
    position.calls.push_back(position.instruction);
    position.instruction = region.module.computations[callee].root;
    return position;
  }
  return std::nullopt;
}

// Follows a value to every element that may define it.
//
// `moves(const ElementAt<Index>&)` returns std::optional<std::vector<OperandElement<Index>>>: the
// elements of operands that the value may come from, or nothing if it is defined here or its source
// is unknown. `at_end(ElementAt<Index>)` takes each element where the walk ends; outside the region
// `moves` is not asked. It returns whether to go on.
//
// `steps` limits the work, because nested calls can need exponentially many steps. Returns false if
// it falls below 0 or `at_end` returned false.
template <class Index, class Moves, class AtEnd>
bool follow_sources(const FollowRegion& region, ElementAt<Index> first, const Moves& moves,
                    const AtEnd& at_end, int64_t& steps) {
  std::vector<ElementAt<Index>> open;
  open.push_back(std::move(first));
  while (!open.empty()) {
    if (--steps < 0) return false;
    ElementAt<Index> here = std::move(open.back());
    open.pop_back();
    if (region.is_outside(here.position)) {
      if (!at_end(std::move(here))) return false;
      continue;
    }
    if (auto across = through_call(region, here.position)) {
      here.position = *std::move(across);
      open.push_back(std::move(here));
      continue;
    }
    auto sources = moves(std::as_const(here));
    if (!sources) {
      if (!at_end(std::move(here))) return false;
      continue;
    }
    const HloInstruction& instruction = region.at(here.position);
    for (OperandElement<Index>& source : *sources) {
      open.push_back({{here.position.calls, instruction.operands[source.operand].instruction,
                       static_cast<int32_t>(source.leaf)},
                      std::move(source.index)});
    }
  }
  return true;
}

// Follows a value that has one source. `move(const ElementAt<Index>&)` returns
// std::optional<OperandElement<Index>>. Returns nothing if the steps ran out.
template <class Index, class Move>
std::optional<ElementAt<Index>> follow_source(const FollowRegion& region, ElementAt<Index> first,
                                              const Move& move, int64_t& steps) {
  std::optional<ElementAt<Index>> end;
  const auto moves = [&](const ElementAt<Index>& here) {
    std::optional<OperandElement<Index>> source = move(here);
    std::optional<std::vector<OperandElement<Index>>> sources;
    if (source) sources.emplace().push_back(*std::move(source));
    return sources;
  };
  const auto at_end = [&](ElementAt<Index> source) {
    end = std::move(source);
    return true;
  };
  follow_sources(region, std::move(first), moves, at_end, steps);
  return end;
}

}  // namespace tileproof

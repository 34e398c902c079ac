// SPDX-License-Identifier: Apache-2.0
// Arrays of integers and predicates whose elements are known: what they are made of.
//
//     c = s32[4] concatenate(iota of 2, constant {7, 7})      moved, of an iota and of listed elements
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "impl/hlo/access_relation.h"
#include "impl/hlo/backward_slice.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

enum class ValuesKind : uint8_t { kAnything, kIota, kListed, kMoved, kComputed };

// An array whose values are known, and the arrays that it is made of.
struct ArrayValues {
  ValuesKind kind = ValuesKind::kAnything;
  bool is_predicate = false;
  Interval range = {0, 0};
  Dims sizes = {};
  int64_t dimension = 0;               // kIota
  std::vector<int64_t> elements = {};  // kListed; one if all are equal
  HloOpcode opcode = HloOpcode::kConstant;
  std::string direction = {};                 // of a comparison
  std::vector<AccessRelationPtr> moves = {};  // kMoved, by operand
  std::vector<ArrayValues> operands = {};
  int64_t operations = 1;  // in the tree
  bool gave_up =
      false;  // more is known than this says: beyond the limits, or beyond what cases say
};

inline bool is_anything(const ArrayValues& values) { return values.kind == ValuesKind::kAnything; }
inline bool is_point(const Interval& a) { return a.low == a.high; }

// The values of a leaf of an instruction; a parameter is what it is at the call that runs the
// computation. Nothing if they may be anything. With too many arrays on the way, the
// reader gives up.
std::optional<ArrayValues> values_of(ComputationDependences& within, OperandLeaf array);

// The operand of a loop, if this leaf of its state is the same in all iterations: the body hands it
// on, in copies of one element type. Nothing for other instructions.
std::optional<int32_t> operand_of_loop(ComputationDependences& within, OperandLeaf state);

// The operand of a call or loop that the leaf of a parameter is, in what it runs; nothing if there is
// none, or if it is not the same in all iterations.
std::optional<int32_t> operand_at(ComputationDependences& within, int32_t call, OperandLeaf from);

// The leaves of the computation's parameters that these values depend on.
std::vector<OperandLeaf> parameters_of_values(ComputationDependences& within, OperandLeaf array);

}  // namespace tileproof::impl

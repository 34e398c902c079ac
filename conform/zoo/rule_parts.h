// SPDX-License-Identifier: Apache-2.0
// Parts of wrong rules. The rules leave large numbers alone, so that the mistake of an entry is the
// one that its line names, and no overflow.
#pragma once

#include <cstdint>
#include <optional>

#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/zoo/rewriting.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::zoo {

inline bool is_small(int64_t n) { return n > -(1 << 30) && n < 1 << 30; }
inline bool is_small(const Interval& i) { return is_small(i.low) && is_small(i.high); }

// floor(a / b), for small numbers: floor_of(-1, 2) is -1.
inline int64_t floor_of(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Calls `change` for each constraint with a small interval until it returns true.
template <class Change>
bool any_constraint(IndexingMap& map, Change change) {
  for (Constraint& constraint : map.constraints) {
    if (is_small(constraint.interval) && change(constraint)) return true;
  }
  return false;
}

// The value of an operation, by wrapping sums and products. b is not 0 in a division.
inline int64_t exact(Op op, int64_t a, int64_t b) {
  if (op == Op::kAdd) return static_cast<int64_t>(uint64_t(a) + uint64_t(b));
  if (op == Op::kMul) return static_cast<int64_t>(uint64_t(a) * uint64_t(b));
  if (b == -1) return op == Op::kMod ? 0 : static_cast<int64_t>(-uint64_t(a));
  const int64_t quotient = a / b, remainder = a % b;
  const bool inexact = remainder != 0, opposite = (a < 0) != (b < 0);
  if (op == Op::kFloorDiv) return quotient - (inexact && opposite ? 1 : 0);
  if (op == Op::kCeilDiv) return quotient + (inexact && !opposite ? 1 : 0);
  return inexact && opposite ? remainder + b : remainder;
}

// Matches `left op c` with a constant c.
inline std::optional<Rewriting::By> by(const IndexingMap& map, Op op, NodeId id) {
  const Node& node = map.nodes[id];
  if (node.op != op || map.nodes[node.right].op != Op::kConstant) return std::nullopt;
  return Rewriting::By{node.left, map.nodes[node.right].value};
}

// The variable that an expression is, or null.
inline Variable* variable_at(IndexingMap& map, NodeId id) {
  const Node& node = map.nodes[id];
  return is_variable(node.op) ? &variables_of(map, node.op)[node.value] : nullptr;
}

inline bool is_result(const conform::Answer& answer) {
  return answer.kind == conform::Answer::Kind::kResult;
}

// The question is about one instruction, of this opcode; `forward`: from its output to its inputs.
inline bool about(const conform::HloQuestion& question, const HloInstruction& at,
                  HloOpcode opcode) {
  return question.scope == spec::Scope::kInstruction && at.opcode == opcode;
}
inline bool forward(const conform::HloQuestion& question, const HloInstruction& at,
                    HloOpcode opcode) {
  return about(question, at, opcode) && !question.is_inverse();
}

}  // namespace tileproof::zoo

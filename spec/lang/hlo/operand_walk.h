// SPDX-License-Identifier: Apache-2.0
// Whether the instructions that a result depends on are valid.
//
//     p = f32[2] parameter(0)
//     x = f32[4] topk()                             invalid: it has no operand
//     c = f32[6] concatenate(p, x), dimensions={0}
//     s = f32[2] slice(c), slice={[0:2]}            refused, though nothing of x gets into s
//     t = (f32[2], f32[6]) tuple(p, c)              leaf 1 is refused; leaf 0 does not depend on x
//
// A result depends on instructions by operands, whatever their attributes cut away, and whether or
// not arrays have elements. An operation depends on all of its operands. Some depend leaf by leaf:
//
//     op::Forward    tuple, get-tuple-element, copy, ..: on the leaf that it hands on, if any
//     fusion, call   on this leaf of the root, and on operands that are parameters on its way
//     conditional    on that of each branch, and on the predicate
//     while          on that of the body, of the first state, and on the condition
//     op::Start      on the operand that it hands on, or as the operation that it starts
//
// Up to the parameters, all of these must be valid, for answers have a list for each.
//
// If several calls on the way enter one computation, the parameters that one of them needs count
// for all. What a reduce or a sort applies is not looked into.
//
// The definition and the closed form refuse by this walk, so they refuse alike, with one text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// Whether the layouts of a bitcast fit: who defines layouts knows. The error does not name the
// instruction.
using BitcastCheck = absl::Status (*)(const op::Bitcast&);

// Remembers what it found of a module, which must outlive it. The first question about a
// computation checks all instructions of it, and of the computations that it enters. If all are
// valid, further questions are answered at once; if not, each takes time linear in the text.
class OperandWalk {
 public:
  OperandWalk(const HloModule& module, BitcastCheck fits) : module_(module), fits_(fits) {}

  // OK if all instructions are valid that the leaf depends on, up to the parameters of its
  // computation or the operands of its instruction; without a leaf: that all leaves depend on.
  // Else the error of the first of them in the order of the module. The instruction must exist.
  absl::Status expect_valid(FollowRegion::UpTo up_to, int32_t computation, int32_t instruction,
                            std::optional<int32_t> leaf);

 private:
  class Marks;
  absl::Status bitcast_error(const HloInstruction& at, const op::Any& found) const;
  bool note(int32_t computation, int32_t instruction, absl::Status error);
  bool is_valid(FollowRegion::UpTo up_to, int32_t computation, int32_t instruction);
  bool is_valid(int32_t computation);
  bool check(int32_t computation);
  absl::Status walk(FollowRegion::UpTo up_to, int32_t computation, int32_t instruction,
                    std::optional<int32_t> leaf) const;

  const HloModule& module_;
  const BitcastCheck fits_;
  std::map<std::pair<int32_t, int32_t>, absl::Status> errors_;  // by computation and instruction
  std::vector<std::optional<bool>> is_valid_;                   // by computation
  std::map<std::tuple<FollowRegion::UpTo, int32_t, int32_t>, absl::Status> of_all_leaves_;
};

}  // namespace tileproof

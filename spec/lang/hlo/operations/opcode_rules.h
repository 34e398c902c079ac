// SPDX-License-Identifier: Apache-2.0
// One table by opcode: how checked_op checks an instruction, and how the shape of its result is
// inferred if the text leaves it out.
//
//     pad     check::pad                   infer::pad
//     add     check::known_elementwise     infer::known_elementwise
//     iota    check::source                none: the text must write the shape
//
// Private to spec/lang/hlo.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"

// The rules behind spec/lang/hlo/hlo_shapes.h: the shape of a result, one function for each kind of
// operation. A rule reads the shapes of the operands and the attributes. If they do not fit, its
// error says what it expected.
namespace tileproof::infer {

using Result = absl::StatusOr<Shape>;

// An instruction with the shapes of its operands.
struct Operation {
  const HloModule& module;
  const HloInstruction& instruction;
  std::vector<const Shape*> operands;

  int64_t count() const { return std::ssize(operands); }
};

using Rule = Result(const Operation& op);

absl::Status wrong(const Operation& op, absl::string_view what);
absl::Status cannot_infer(const Operation& op);  // the result may have several shapes

// Elementwise operations, and those that rearrange arrays.
Rule like_first, like_second;  // the array that operand 0 or 1 is
Rule known_elementwise;        // elementwise, of the type of the operands
Rule predicate;                // elementwise, of predicates
Rule part;                     // elementwise, of the real type of a complex number
Rule complex, map, transpose, slice, pad, concatenate, topk;
// Sums, windows, offsets and indices.
Rule dot, reduce, reduce_window, convolution, dynamic_slice, gather;
// Tuples, calls, and shapes that are handed on.
Rule first_operand, copy;     // the whole shape of operand 0
Rule like_operands, scatter;  // one array for each operand, or for each operand that is updated
Rule tuple_of_operands, element, called, branch;
Rule token, dimension_size, replica_number;

}  // namespace tileproof::infer

namespace tileproof {

struct OpcodeRules {
  HloOpcode opcode = HloOpcode::kOther;
  check::Check* check = nullptr;  // every opcode has one
  infer::Rule* infer = nullptr;   // nullptr: operands and attributes allow several shapes
};

const OpcodeRules& rules_of(HloOpcode opcode);

}  // namespace tileproof

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

#include "spec/lang/hlo/hlo_opcode.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"
#include "spec/lang/hlo/operations/hlo_shape_rules.h"

namespace tileproof {

struct OpcodeRules {
  HloOpcode opcode = HloOpcode::kOther;
  check::Check* check = nullptr;  // every opcode has one
  infer::Rule* infer = nullptr;   // nullptr: operands and attributes allow several shapes
};

const OpcodeRules& rules_of(HloOpcode opcode);

}  // namespace tileproof

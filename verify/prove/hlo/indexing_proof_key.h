// SPDX-License-Identifier: Apache-2.0
// The question about the maps of an instruction as a text: equal texts, equal questions. The text
// omits names, positions in the module, and attributes that do not affect dataflow.
#pragma once

#include <string>
#include <vector>

#include "impl/hlo/printed_maps.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

// Goes up if the texts below say something else about a question, or no longer all of it.
inline constexpr int kQuestionVersion = 1;

// Returns whether the proof enters the computation of this operation. The computation of other
// operations (reducers) does not affect dataflow.
bool has_callee(HloOpcode opcode);

// Returns whether the attribute of this name does not affect dataflow, or names a computation.
bool says_nothing(const std::string& attribute);

// The operation's text: attributes, shapes, entered computations, repeated operands.
std::string instruction_text(const HloModule& module, const HloComputation& computation,
                             const HloInstruction& instruction);

// The text of the maps given for a leaf of its result.
std::string maps_text(const HloInstruction& instruction,
                      const std::vector<impl::MapsBetween>& maps);

}  // namespace tileproof::verify

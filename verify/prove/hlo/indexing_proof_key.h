// What is asked about the maps of an instruction, as a text: equal texts, equal questions. Names,
// places in the module, and attributes that say nothing about what flows are not in it.
#pragma once

#include <string>

#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

// Operations whose computation is walked through; that of others (reducers, loops) says nothing
// about what flows.
bool enters(HloOpcode opcode);

// The operation: attributes, shapes, the computations that are entered, which operands are one.
std::string instruction_text(const HloModule& module, const HloComputation& computation,
                             const HloInstruction& instruction);

// The maps that were given for a leaf of its result.
std::string maps_text(const HloInstruction& instruction, const impl::Indexing& maps);

}  // namespace tileproof::verify

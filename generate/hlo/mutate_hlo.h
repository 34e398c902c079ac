// A small change to a module: what a fuzzer does to HLO instead of flipping the bits of its text.
#pragma once

#include <string>

#include "generate/choose/choose.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// The text of the module with one thing of it changed: a shape, a number in an attribute or a
// literal, an attribute, an opcode, an operand, the root. It is read again nearly always; but the
// instructions need not make sense any more.
std::string mutate_hlo(Choose& choose, HloModule module);

// The text after one to three such changes. A change that is not read again is left out.
std::string mutate_hlo(Choose& choose, std::string text);

}  // namespace tileproof

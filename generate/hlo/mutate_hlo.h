// SPDX-License-Identifier: Apache-2.0
// A small change to a module. A fuzzer mutates HLO this way, instead of flipping bits of its text.
#pragma once

#include <string>

#include "generate/choose/choose.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// Returns the text of the module with one change: to a shape, a number in an attribute or a
// literal, an attribute, an opcode, an operand, or the root. The text nearly always parses, but its
// instructions may be invalid.
std::string mutate_hlo(Choose& choose, HloModule module);

// Returns the text after one to three such changes. Skips a change if its text does not parse.
std::string mutate_hlo(Choose& choose, std::string text);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// The structure of an HLO module, for conform/report/cause.h: its operations, how they are
// connected, the ranks of their shapes and their attributes, without names, sizes and types.
#pragma once

#include <set>
#include <string>

namespace tileproof::conform {

// "p[nn] reverse(0)[nn] dimensions={n}". Numbers in attributes are written n, or -n below 0. A text
// that is no module is returned with its numbers replaced.
std::string hlo_structure(const std::string& text);

// Adds opcodes and "opcode attribute" for each attribute, and "negative opcode attribute" if it has
// a negative number.
void add_hlo_features(const std::string& text, std::set<std::string>& features);

}  // namespace tileproof::conform

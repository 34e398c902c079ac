// SPDX-License-Identifier: Apache-2.0
// tileproof equiv, for a map and a module: is the map how an instruction reads an operand?
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/arguments.h"
#include "cli/text.h"

namespace tileproof::cli {

// `module` is the number of the text that is a module, the other one is a map. --instruction and
// --operand choose what the map is of; without an instruction, the result of the module and a
// parameter. All maps of the operand together must have the pairs of this one.
absl::StatusOr<Answer> compare_map_with_module(const std::string (&texts)[2], int module,
                                               const Command& given);

}  // namespace tileproof::cli

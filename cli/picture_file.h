// SPDX-License-Identifier: Apache-2.0
// Options of commands about HLO modules: FILE, --allow-unknown, --svg.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "explorer/answers/panels.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::cli {

// Writes a picture into the file, and says so on standard error; "-" is standard output.
absl::Status write_picture(const std::string& svg, const std::string& file);

// Draws the instruction of that name, or the root, by `draw`. Errors: those of find_asked and
// instruction_access; the file cannot be written.
absl::Status draw_instruction(
    const std::vector<HloModule>& modules, absl::string_view name, int32_t output,
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const explorer::InstructionAccess&)> draw);

}  // namespace tileproof::cli

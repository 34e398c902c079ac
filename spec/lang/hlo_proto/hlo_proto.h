// SPDX-License-Identifier: Apache-2.0
// HLO modules from protocol buffers: HloProto or HloModuleProto, binary or as text.
//
//     hlo_module { name: "m" computations { name: "main" instructions { name: "p" opcode: "parameter"
//       shape { element_type: F32 dimensions: 2 dimensions: 3 } } .. } }
//
// The module becomes HLO text as XLA prints it, which the parser of HLO reads and checks. Only what no
// value depends on is left out: metadata, schedules, profiles.
// Source: hlo.proto and xla_data.proto, as XLA documents their fields.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::hlo_proto {

// Whether the input is a proto rather than HLO text: bytes that no text has, or a field of a module.
bool looks_like_proto(absl::string_view input);

// Errors name a byte, or a line and a column, or the instruction.
absl::StatusOr<std::vector<HloModule>> parse_modules(absl::string_view input, UnknownHlo unknown);

}  // namespace tileproof::hlo_proto

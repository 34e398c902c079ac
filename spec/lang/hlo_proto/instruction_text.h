// SPDX-License-Identifier: Apache-2.0
// One instruction of a proto as HLO text.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {

// `f32[2,3]{1,0:T(8,128)}`, `(f32[], s32[2])`. Errors: an element type that nobody knows.
absl::StatusOr<std::string> shape_text(const Message& shape);

// `f32[3,2] transpose(a), dimensions={1,0}`, without the name. `operands` and `called` are names.
absl::StatusOr<std::string> instruction_text(const Message& instruction,
                                             const std::vector<std::string>& operands,
                                             const std::vector<std::string>& called);

}  // namespace tileproof::hlo_proto

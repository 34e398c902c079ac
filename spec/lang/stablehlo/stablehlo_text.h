// SPDX-License-Identifier: Apache-2.0
// HLO modules from the text of StableHLO.
//
//     %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
//     v0 = f32[3,2] transpose(arg0), dimensions={1,0}
//
// Each module becomes HLO text, which the parser of HLO reads and checks. `%0` is named v0 there.
//
//     broadcast_in_dim    where a size 1 grows, a reshape without that dimension, then a broadcast
//     constant            of one value for an array: a scalar constant and a broadcast
//     several results     a tuple and its elements
//     case, if, while     values from outside of a region become operands of the branch or the loop
//     composite           a call of its decomposition
//     functions           computations; main is the entry. Without it, each function that nothing calls
//                         is the entry of a module of its own, with those that it calls. A line
//                         `#tileproof.function = @f` asks for the function f as the only entry
//     Shardy              constraints and reshards are custom calls that return their operand, as in
//                         XLA; the body of a manual_computation is called between custom calls that
//                         make its arrays of the whole ones and back
//
// Errors name a place in the StableHLO text. An operation that HLO does not have is an error.
// Source: StableHLO's specification; XLA's operation semantics.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::stablehlo {

// Whether the text is StableHLO or other MLIR rather than HLO.
bool looks_like_mlir(absl::string_view text);

// All modules of the text; at least one. With kKeep, an operation that is not read has its own name as
// opcode, if it says what its results are.
absl::StatusOr<std::vector<HloModule>> parse_modules(absl::string_view text,
                                                     UnknownHlo unknown = UnknownHlo::kRefuse);

// The same, but an operation that is not read does not end it: its error is appended to `unread`, and
// it is a custom call of this target and the number of the error: "not read: 0".
inline constexpr char kUnreadTarget[] = "not read: ";
absl::StatusOr<std::vector<HloModule>> parse_modules_but(absl::string_view text, UnknownHlo unknown,
                                                         std::vector<absl::Status>& unread);

}  // namespace tileproof::stablehlo

// SPDX-License-Identifier: Apache-2.0
// Fuzz target: lines of the protocol.
#include "fuzz/targets/request_inputs.h"
#include "fuzz/targets/text_input.h"

namespace tileproof {

constexpr TextTarget kTarget = {"protocol", answers_difference, mutated_requests,
                                /*bytes_of_16=*/4};

absl::Span<const TextTarget> targets() { return {&kTarget, 1}; }

}  // namespace tileproof

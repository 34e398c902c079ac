// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tileproof {

// The arrays at the other end of a question about the result of an instruction: its operands, or the
// parameters of its computation.
enum class Scope : uint8_t { kInstruction, kComputation };

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// The words for values that are computed inside of modules, and for where two of them begin to
// differ.
//
//     i = add(p, 1)
//     i = get-tuple-element(w), of loops that end at        n = 2   and   n = 3
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/modules/value_numbers.h"

namespace tileproof::verify {

// "i = add(p, 1)"; "n = 2" for a constant.
std::string operation_text(const HloComputation& computation, const HloInstruction& instruction);

// The operation at the position of either value that is the first to be another one: of their
// operands, those operands' operands, or the computations that they call. Nothing if it is not
// found, or is written alike.
std::optional<std::pair<std::string, std::string>> first_difference(ValueNumbers& left,
                                                                    HloPosition left_position,
                                                                    ValueNumbers& right,
                                                                    HloPosition right_position);

}  // namespace tileproof::verify

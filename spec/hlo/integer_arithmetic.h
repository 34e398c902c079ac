// SPDX-License-Identifier: Apache-2.0
// Arithmetic of HLO's integers and predicates: modulo 2^w, for each width and sign.
//
//     u8    200 + 100 = 44        s8    -128 / -1 = -128      7 / 0 = -1
//     u8    255 / 0 = 255         s8    7 % 0 = 7             1 << 9 = 0
//
// An integer of w bits is kept as int64: a signed one as itself, an unsigned one as itself modulo
// 2^64. A predicate is 0 or 1.
// Source: XLA operation semantics, "Element-wise binary arithmetic operations", and
// HloEvaluator for division by zero and shifts by the width or more.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/hlo/hlo_opcode.h"

namespace tileproof::spec {

bool is_integer(ElementType type);  // or pred
bool is_unsigned(ElementType type);

// The number of this type that is equal modulo 2^w.
int64_t wrapped(ElementType type, int64_t x);

// Where an offset of this value lies: numbers beyond int64 count as the largest.
int64_t as_offset(ElementType type, int64_t value);

// The result of an operation, if it is defined by these integers. `type`: of the result; `from`: of
// the operands (of a convert: of the operand). `direction`: of a compare. Nothing for operations that
// are no arithmetic of integers, and if an operand that counts is absent. `and` of false and an
// absent predicate is false.
std::optional<int64_t> evaluated(HloOpcode opcode, ElementType type, ElementType from,
                                 absl::string_view direction,
                                 absl::Span<const std::optional<int64_t>> operands);

}  // namespace tileproof::spec

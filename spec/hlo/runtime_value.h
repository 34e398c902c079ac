// SPDX-License-Identifier: Apache-2.0
// Which operations copy integers as they are, and which integers a type and a constant have.
//
//     r = u8[300] reverse(i), dimensions={0}     element (39) of r is element (260) of i
//     b = s8[300] bitcast(r)                     copies no value: another type, other values
//     c = u8[2] constant({300, 1})               has no integers: 300 is none of u8
//
// Source: XLA operation semantics; XLA's HLO parser for constants that do not fit their type.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/numeric/int128.h"
#include "spec/hlo/access_relation.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::spec {

// The integers that an element of this type can be. Larger ones of u64 count as the largest int64:
// no array has an element there. Nothing for floats and other types, which cannot be offsets.
struct IntegerRange {
  int64_t low = 0;
  int64_t high = 0;
};
std::optional<IntegerRange> integer_range_of(ElementType type);

// The element type of a leaf. Nothing if the leaf has no shape.
std::optional<ElementType> type_of_leaf(const HloInstruction& instruction, int64_t leaf);

// The integers of that type.
std::optional<IntegerRange> integer_range_of(const HloInstruction& instruction, int64_t leaf);

// Operations that give each element the value of one element of an operand.
bool keeps_values(HloOpcode opcode);  // a bitcast: if the element types are equal

// The access relation of a leaf, if each of its elements is a copy of one element of an operand.
// Nothing for other operations, and if the element type changes.
std::optional<AccessRelation> relation_of_move(const HloModule& module, int32_t computation,
                                               const HloPosition& position);

// The elements of a constant of integers in row-major order, if all are written and fit the type.
std::optional<std::vector<absl::int128>> numbers_of_constant(const HloInstruction& constant);

}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// Values of elements that serve as offsets and indices: the element that a value was copied from,
// and the values of constants and iotas.
//
//     i = u8[300] iota(), iota_dimension=0       element (260) is 4: a u8 holds 0, .., 255
//     r = u8[300] reverse(i), dimensions={0}     element (39) of r is element (260) of i
//     b = s8[300] bitcast(r)                     copies no value: another type, other values
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

// The same for the element type of a leaf. Nothing if the leaf has no shape.
std::optional<IntegerRange> integer_range_of(const HloInstruction& instruction, int64_t leaf);

// Operations that give each element the value of one element of an operand.
bool keeps_values(HloOpcode opcode);  // a bitcast: if the element types are equal

// The access relation of a leaf, if each of its elements is a copy of one element of an operand.
// Nothing for other operations, and if the element type changes.
std::optional<AccessRelation> relation_of_move(const HloModule& module, int32_t computation,
                                               const HloPosition& position);

// The operand element that the element at this index of the leaf is a copy of. Nothing if it is no
// copy.
std::optional<OperandElement<std::vector<int64_t>>> moved_from(const HloModule& module,
                                                               int32_t computation,
                                                               const HloPosition& position,
                                                               const std::vector<int64_t>& index);

// The elements of a constant of integers in row-major order, if all are written and fit the type.
std::optional<std::vector<absl::int128>> numbers_of_constant(const HloInstruction& constant);

// The same as offsets: beyond int64, the largest int64.
std::optional<std::vector<int64_t>> elements_of_constant(const HloInstruction& constant);

// The element of an iota at this index: its coordinate, wrapped to the type's range. Nothing if the
// type is no integer or the iota is not valid.
template <class N>
std::optional<N> element_of_iota(const HloInstruction& iota, const std::vector<N>& index) {
  const auto dimension = integer_of(iota, "iota_dimension");
  if (!dimension.ok() || *dimension >= std::ssize(index)) return std::nullopt;
  if (!iota.shape || iota.shape->rank() != std::ssize(index)) return std::nullopt;
  const std::optional<IntegerRange> type = integer_range_of(iota.shape->element_type);
  if (!type || iota.shape->element_type == ElementType::kPred) return std::nullopt;
  const N& coordinate = index[*dimension];
  if (iota.shape->dimensions[*dimension].size - 1 <= type->high) return coordinate;
  const int64_t values = type->high - type->low + 1;  // fewer than the size, which fits int64
  return mod(coordinate + N(-type->low), values) + N(type->low);
}

}  // namespace tileproof::spec

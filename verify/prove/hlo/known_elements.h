// SPDX-License-Identifier: Apache-2.0
// The elements of constants and iotas, as offsets.
//
//     i = u8[300] iota(), iota_dimension=0       element (260) is 4: a u8 holds 0, .., 255
//     c = u64[2] constant({3, 18446744073709551615})      3, 9223372036854775807
//
// Source: XLA operation semantics, Iota; XLA's HLO parser for constants that do not fit their type.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/base/integers.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof::verify {

// The elements of a constant of integers in row-major order, if all are written and fit the type. A
// number beyond int64 is the largest int64: no array has an element there.
std::optional<std::vector<int64_t>> elements_of_constant(const HloInstruction& constant);

// The element of an iota at this index: its coordinate, wrapped to the type's range. Nothing if the
// type is no integer or the iota is not valid.
template <class N>
std::optional<N> element_of_iota(const HloInstruction& iota, const std::vector<N>& index) {
  const auto dimension = integer_of(iota, "iota_dimension");
  if (!dimension.ok() || *dimension >= std::ssize(index)) return std::nullopt;
  if (!iota.shape || iota.shape->rank() != std::ssize(index)) return std::nullopt;
  const std::optional<spec::IntegerRange> type = spec::integer_range_of(iota.shape->element_type);
  if (!type || iota.shape->element_type == ElementType::kPred) return std::nullopt;
  using spec::mod;
  const N& coordinate = index[*dimension];
  if (iota.shape->dimensions[*dimension].size - 1 <= type->high) return coordinate;
  const int64_t values = type->high - type->low + 1;  // fewer than the size, which fits int64
  return mod(coordinate + N(-type->low), values) + N(type->low);
}

}  // namespace tileproof::verify

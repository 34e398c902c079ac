// SPDX-License-Identifier: Apache-2.0
// Assumed sums inside other sums. A constraint gives the range of an assumed sum
// (NormalFormContext::assumptions).
#pragma once

#include "absl/container/inlined_vector.h"
#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// k times an assumed sum that is a part of another sum. The other sum has all atoms of the part,
// and fewer terms without it.
struct AssumedPart {
  size_t assumption = 0;  // its index in NormalFormContext::assumptions
  int64_t k = 0;

  bool operator==(const AssumedPart&) const = default;
};
using AssumedParts = absl::InlinedVector<AssumedPart, 4>;

// The parts of x, smaller sums first. If factors are not small, only sums that x is a multiple of,
// so that x - k * sum and its terms stay within 64 bits.
AssumedParts assumed_parts(const Assumptions& context, const Linear& x);

// x - k * sum. (If k is INT64_MIN, which has no negation, k * sum is all of x.)
Linear without_part(NormalFormContext& context, const Linear& x, const Linear& sum, int64_t k);

// Replaces assumed sums that have one value: with d0 + d1 in [3, 3], d0 + 2 * d1 becomes d1 + 3.
// Appends the replaced parts to `used` unless it is null.
Linear with_assumed_sums(NormalFormContext& context, Linear x, AssumedParts* used = nullptr);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// What one term for all elements shows of small modules, whose elements are compared one by one else.
#pragma once

#include <cstdint>
#include <iterator>

#include "verify/prove/hlo/modules/large_values.h"

namespace tileproof::verify {

// Whether all results are equal at any index. The modules are valid, and have the same parameters and results.
inline bool are_proven_at_any_index(const HloModule& left, const HloModule& right,
                                    const Laws& laws) {
  const ValueOptions options{.allowed = laws};
  LargeValues large(left, right, options);
  const HloComputation& entry = left.computations[left.entry];
  const auto leaves = leaves_of(*entry.instructions[entry.root].shape);
  for (int64_t leaf = 0; leaves.ok() && leaf < std::ssize(*leaves); ++leaf) {
    const Leaf& one = (*leaves)[leaf];
    if (one.array != nullptr && !large.equal(leaf, one.dims, false)) return false;
  }
  return leaves.ok();
}

}  // namespace tileproof::verify

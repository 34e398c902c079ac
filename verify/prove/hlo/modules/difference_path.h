// SPDX-License-Identifier: Apache-2.0
// Where two modules begin to compute something else: from an element of a result that is different
// back to the first operations that are.
//
//     LEFT   r[0,1] = 5, t[1,0] = 5, add x[1,0] + y[1,0]
//     RIGHT  r[0,1] = 6, m[1,0] = 6, multiply x[1,0] * y[1,0]
//
// Both sides go back together as long as the elements there are different: through operations that
// move elements, and through operations of the same kind to a pair of operands that is different. A sum is
// all that is added, however it is split: over instructions, and over devices by an all-reduce.
//
// If one side moves another element than the other, the way ends at the first instruction that does: it
// could have moved the element that was wanted, and has it nowhere. If offsets or a predicate say which
// element it moves, the way goes on to what computes them.
//
// The same way leads from a result that is undecided to the open question: elements that no law makes
// equal.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/hlo/devices.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/values/values_equal.h"

namespace tileproof::verify {

// An element of an array of the result of a module.
struct ResultElement {
  const HloModule& module;
  int64_t leaf = 0;
  std::vector<int64_t> at = {};
  const spec::Devices* devices = nullptr;  // if the module runs on several
  int64_t device = 0;                      // where the element is
  const spec::Placed* placed = nullptr;    // how the array lies on the devices, if that is known
};

// Adds the path from these elements, if the answer names them. None if the numbers of the parameters do
// not show the difference there, or if a part of the options' work is not enough.
void add_path(const ResultElement& left, const ResultElement& right, const ValueOptions& options,
              ValueEquality& answer);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Where two modules begin to compute something else: from an element of a result that is different
// back to the first operations that are.
//
//     LEFT   r[0,1] = 5, t[1,0] = 5, add x[1,0] + y[1,0]
//     RIGHT  r[0,1] = 6, m[1,0] = 6, multiply x[1,0] * y[1,0]
//
// Both sides go back together as long as the elements there are different: through operations that
// move elements, and through the same operation to its one operand that is different. The same way
// leads from a result that is undecided to the open question: elements that no law makes equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/lang/hlo/hlo.h"
#include "verify/prove/values/values_equal.h"

namespace tileproof::verify {

// Of the element of a result at this point. Empty if the numbers of the parameters do not
// show a difference there, or if `work` is not enough.
DifferencePath difference_path(const HloModule& left, const HloModule& right, int64_t leaf,
                               const std::vector<int64_t>& at, const PointNumbers& numbers,
                               int64_t work);

// Of an element of a result whose forms with these laws are unlike. The values of the steps are terms.
DifferencePath open_path(const HloModule& left, const HloModule& right, int64_t leaf,
                         const std::vector<int64_t>& at, const Laws& laws, int64_t work);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Do two modules have the same access maps from the parameters of the entry to its results?
//
// Names and the way to the result do not matter; arithmetic is not seen: `add` and `multiply` have
// the same maps.
//
//     LEFT   ENTRY { x = f32[2,3] parameter(0)   t = f32[3,2] transpose(x), dimensions={1,0}
//                    ROOT r = f32[2,3] transpose(t), dimensions={1,0} }
//     RIGHT  ENTRY { y = f32[2,3] parameter(0)   ROOT n = f32[2,3] negate(y) }
//
//     equal: both have (d0, d1) -> (d0, d1)
//
// A module L gets one more computation, which calls its entry. The analysis gives the maps M of
// that call in the other module. The proof shows that M are right for the call in L: that they are
// the dataflow that the definitions of L's operations state (verify/prove/hlo/indexing_proof.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/indexing_proof.h"
#include "verify/prove/values/values_equal.h"

namespace tileproof::verify {

struct ResultEquality {
  int64_t leaf = 0;  // of the result
  Verdict verdict = Verdict::kProven;
  std::string detail;  // a pair of elements on one side only; or why it is undecided

  // If it is undecided:
  bool may_take_time = true;  // more time may decide it
  std::string
      instruction{};  // the one that is to blame, of LEFT or RIGHT; empty if it is not known
  bool is_of_right = false;
};

// The element types of an array of the result in LEFT and in RIGHT.
using ResultPair = std::pair<ElementType, ElementType>;

// The arrays of the result. The parameters and results must have the same sizes, and the parameters
// the same element types: else an error.
absl::StatusOr<std::vector<ResultPair>> result_pairs(const HloModule& left, const HloModule& right);

// One verdict for each array of the result. The parameters and results must have the same sizes,
// and the parameters the same element types: else an error. A result of another element type
// differs. An error about an instruction begins with its name.
//
// Offsets and indices that are computed inside of a module are equal if both compute them alike
// (verify/prove/hlo/modules/value_numbers.h). If not, the answer is never "different": which values they can
// have is arithmetic. Undecided, too, if the maps of one side are a superset of what flows (custom
// calls, say), or a result depends on the device (collectives, the number of a device). But if both
// modules have the same ones on the same values, these read the same elements
// (verify/prove/hlo/modules/opaque_values.h), and the same program always does.
absl::StatusOr<std::vector<ResultEquality>> same_accesses(const HloModule& left,
                                                          const HloModule& right,
                                                          VerifySession& session);

}  // namespace tileproof::verify

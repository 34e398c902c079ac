// SPDX-License-Identifier: Apache-2.0
// Decides whether two layouts, of any systems, are the same function.
//
// Both become maps from an index to its offset, which verify/prove/map/map_equal.h compares; first by
// rearranging alone, in which the digits of a split coordinate add up to the coordinate again. The time
// does not depend on the size of the array.
//
//     (d0 mod 16) * 16 + (d0 floordiv 16) * 256 + ..    is    d0 * 16 + ..
//
// Both references confirm each counterexample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/layout/layout_proof.h"
#include "verify/prove/smt/proof_session.h"

namespace tileproof::verify {

// Proves that every index has the same offset. The functions have the same logical shape
// (share_shape). If the session writes SMT-LIB, the proof rests on these files alone.
LayoutProof prove_equal(const spec::LayoutFunction& left, const spec::LayoutFunction& right,
                        ProofSession& session);

// Errors: those of layout_function and share_shape.
absl::StatusOr<LayoutProof> prove_equal(const AnyLayout& left, const AnyLayout& right,
                                        ProofSession& session);

// The offsets as the results of a map, written by the definition of the layout:
//
//     f32[4,8]{0,1}      (d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]
IndexingMap offset_map(const spec::LayoutFunction& function);

// The proof log that the offset maps are equal (verify/prove/map/equality_log.h), if rearranging
// proves it. The functions have the same logical shape, which is not empty.
std::optional<std::string> equality_log(const spec::LayoutFunction& left,
                                        const spec::LayoutFunction& right);

// The smallest index at which two layouts differ: its greatest coordinate is least, and among these
// indices it is the first in row-major order. Small coordinates are the easiest to check by hand.
//
//     f32[128,256]{1,0:T(8,128)} and f32[128,256]{1,0}
//     differ at [116,236], say, and first in row-major order at [0,128]; the smallest is [1,0]:
//     offsets 128 and 256
//
// Bisects the greatest coordinate, then the coordinates, the most major one first. Each step asks
// whether the layouts are equal in a part of the array (verify/prove/map/map_equal.h).

// Returns the smallest index at which the offsets differ, given one such index. The functions have the
// same logical shape. If a step is undecided, or all take more than about `milliseconds` of
// processor time, the result still differs, but may not be the smallest.
std::vector<int64_t> least_difference(const spec::LayoutFunction& left,
                                      const spec::LayoutFunction& right, std::vector<int64_t> index,
                                      int64_t milliseconds);

}  // namespace tileproof::verify

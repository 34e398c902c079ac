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

#include <optional>
#include <string>

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

}  // namespace tileproof::verify

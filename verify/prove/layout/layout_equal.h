// Are two layouts, of any systems, the same function?
//
// Both are evaluated on a symbolic index. First their offsets become sums of quasi-affine
// expressions (verify/prove/smt/quasi_affine.h), which recombine the digits that a layout splits a
// coordinate into. If both sums are the same, the proof is done. Otherwise Z3 decides whether the
// offsets can differ (verify/prove/smt/smt_context.h). Neither depends on the size of the array. If
// Z3 gives up and the array is small, every index is enumerated.
//
//     (d0 mod 16) * 16 + (d0 floordiv 16) * 256 + ..    is    d0 * 16 + ..
//
// Both references are evaluated at each reported counterexample.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/prove/layout/layout_function.h"
#include "verify/prove/layout/layout_proof.h"
#include "verify/prove/smt/smt_context.h"

namespace tileproof::verify {

// Proves that every index has the same offset. The functions have the same logical shape
// (share_shape). If questions are written as SMT-LIB, the proof uses nothing but them.
LayoutProof prove_equal(const LayoutFunction& left, const LayoutFunction& right,
                        ProofSession& session);

// Errors: those of layout_function and share_shape.
absl::StatusOr<LayoutProof> prove_equal(const AnyLayout& left, const AnyLayout& right,
                                        ProofSession& session);

// The offsets as the results of a map, written by the definition of the layout:
//
//     f32[4,8]{0,1}      (d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]
IndexingMap offset_map(const LayoutFunction& function);

// The proof log that the offset maps are equal (verify/prove/map/equality_log.h), if rearranging shows it. The
// functions have the same logical shape, and elements.
std::optional<std::string> equality_log(const LayoutFunction& left, const LayoutFunction& right);

}  // namespace tileproof::verify

// Are two layouts, of whichever systems, the same function?
//
// Both are run on an index of unknown numbers. First as sums of quotients (verify/prove/smt/quotients.h), in
// which the digits of a coordinate that a layout takes apart and puts together again meet: where
// both sums are the same, nothing is left to ask. Else Z3 is asked whether the offsets can differ
// (verify/prove/smt/smt_context.h). The size of the array does not matter to either. Where Z3 does not know, and
// the array is small, every index is looked at.
//
//     (d0 mod 16) * 16 + (d0 floordiv 16) * 256 + ..    is    d0 * 16 + ..
//
// A counterexample is an index at which both references were evaluated.
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/layout/any_layout.h"
#include "verify/prove/layout/layout_function.h"
#include "verify/prove/layout/layout_proof.h"
#include "verify/prove/smt/smt_context.h"

namespace tileproof::verify {

// The same offset for every index? The functions have the same logical shape (share_shape). Where
// questions are to be written as SMT-LIB nothing rests on anything else.
LayoutProof prove_equal(const LayoutFunction& left, const LayoutFunction& right,
                        ProofSession& session);

// Errors: what layout_function and share_shape refuse.
absl::StatusOr<LayoutProof> prove_equal(const AnyLayout& left, const AnyLayout& right,
                                        ProofSession& session);

}  // namespace tileproof::verify

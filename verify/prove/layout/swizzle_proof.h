// SPDX-License-Identifier: Apache-2.0
// Proves that the words of a swizzle (impl/layout/swizzled_layout.h) are its bits
// (spec/layout/swizzled_layout.h), for every offset below 2^63, in bytes behind a pointer, and that
// they are their own inverse.
//
// Both texts are generic over the number type. Here a number is a bit vector of 64 bits: floordiv by
// 2^t is a shift, mod 2 is a mask. So one question to the solver compares both texts themselves.
#pragma once

#include "impl/layout/swizzled_layout.h"
#include "spec/lang/layout/swizzled_text.h"
#include "verify/prove/layout/layout_proof.h"
#include "verify/prove/smt/proof_session.h"

namespace tileproof::verify {

// The layout is valid; only its swizzle and its pointer matter. `words` are those of impl::words_of;
// tests pass others.
LayoutProof prove_swizzle(const SwizzledLayout& layout, const impl::SwizzleWords& words,
                          ProofSession& session);

}  // namespace tileproof::verify

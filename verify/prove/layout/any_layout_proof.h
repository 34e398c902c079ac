// SPDX-License-Identifier: Apache-2.0
// Proves that the closed form of a layout of any system is right.
//
//     f32[3,5]{1,0:T(2,2)}     the closed form is the definition, injective, and its inverse
//                              (verify/prove/layout/layout_proof.h)
//     zN:f16[64,96]            the formula is the definition; so is f16[64,96]{0,1:T(16,16)(16,1)},
//                              whose closed form is proven as above
//     (4,2):(1,1)              the formula is the definition; there is no tiled form, as two
//                              elements have the same offset
//     Sw<3,3,3> o 0 o (8,64):(64,1)      the words of the swizzle are its bits
//                              (verify/prove/layout/swizzle_proof.h); the formula before it as above
//     memref<4x8xf32, strided<[1, 4]>>   the simplified map is the definition; then as above
//
// For nested layouts and tags, the formula that `layout` prints is compared with the definition as
// an indexing map. Then the layout is converted to a tiled layout, which is proven equal, and whose
// closed form is proven. If there is no such layout, the statement says why.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "spec/lang/layout/any_layout.h"
#include "verify/prove/layout/layout_proof.h"
#include "verify/prove/smt/proof_session.h"

namespace tileproof::verify {

struct AnyLayoutProof {
  LayoutProof proof;
  std::string statement;  // what was proven or refuted
};

// Errors: those of layout_function.
absl::StatusOr<AnyLayoutProof> prove_any_layout(const AnyLayout& layout, ProofSession& session);

}  // namespace tileproof::verify

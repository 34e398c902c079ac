// SPDX-License-Identifier: Apache-2.0
// Proves that the closed form of a layout is right: for every index and every offset of one array,
// however large.
//
// Let R be the steps of the reference (spec/layout/tiled_layout.h), and F (index to offset) and G
// (offset to index) the closed forms of impl/layout/tiled_layout.h. For a symbolic index e and a
// symbolic offset o:
//
//     (1)  R maps every index of the array to [0, elements), and the steps backward return it:
//          R is injective
//     (2)  F(e) = R(e)                                        for every index e of the array
//     (3)  G(o) = the steps backward from o, padding included   for every o in [0, elements)
//     (4)  executed with 64-bit words, F and G give the same numbers as over the integers
//
// It follows that G(F(e)) = e, that F is injective and in bounds, and that G reports padding
// exactly at the offsets without an element.
//
// (1) needs no question about this layout: each step is an instance of a lemma about all integers,
// proven once. (2) and (3) are each the equality of two indexing maps
// (verify/prove/map/equality_prover.h): one that the operations of F or G write, and one that the
// steps write. In (3) they map a physical index y, of which o is the row-major sum; the checks of G
// and the bounds of paddings are their constraints. Nearly always rearranging alone proves both. (4)
// compares numbers (verify/prove/layout/word_arithmetic.h).
//
// F and G are the data that impl::TiledLayout executes. (2) to (4) go through their sums one by
// one; what remains to believe is that impl::evaluate executes a sum as its header says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "impl/layout/closed_form.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape.h"
#include "verify/prove/smt/proof_session.h"

namespace tileproof::verify {

struct LayoutProof {
  Verdict verdict = Verdict::kUndecided;
  std::string counterexample;                   // refuted: one line, evaluated on both sides
  std::string open;                             // undecided: the first open question
  std::optional<std::vector<int64_t>> at = {};  // the counterexample's index, if it has one
};

// The closed forms of a layout: TiledLayout::to_offset() and to_index().
struct ClosedForms {
  impl::ClosedForm to_offset;  // from a coordinate for each dimension to the offset
  impl::ClosedForm to_index;   // from the offset to the coordinates
};

// The names of the lemmas in impl/lemmas/lemmas.h that (1) and (4) use.
absl::Span<const absl::string_view> step_lemmas();

// Proves these lemmas, once in a session.
Verdict prove_step_lemmas(ProofSession& session);

// Errors: shapes that spec::tiled_layout refuses.
absl::StatusOr<LayoutProof> prove_layout(const Shape& shape, ProofSession& session);

// The same for given closed forms instead of those of impl::TiledLayout. Errors: those above, and
// closed forms with a wrong number of outputs.
absl::StatusOr<LayoutProof> prove_layout(const Shape& shape, const ClosedForms& closed,
                                         ProofSession& session);

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

struct AnyLayoutProof {
  LayoutProof proof;
  std::string statement;  // what was proven or refuted
};

// Errors: those of layout_function.
absl::StatusOr<AnyLayoutProof> prove_any_layout(const AnyLayout& layout, ProofSession& session);

}  // namespace tileproof::verify

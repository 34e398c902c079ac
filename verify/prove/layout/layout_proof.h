// The proof that a layout's closed form is right, for an array of any size.
//
// For the steps R of the reference (spec/layout/tiled_layout.h) and the closed forms F (index to offset)
// and G (offset to index) of impl/layout/tiled_layout.h, on a symbolic index e and a symbolic offset o:
//
//     (1)  R takes every index of the array to [0, elements), and the steps backward give it back
//     R is injective (2)  F(e) = R(e)                                        for every index e of
//     the array (3)  G(o) = the steps backward from o, padding included   for every o in [0,
//     elements)
//
// From these: G(F(e)) = e, F is injective and in bounds, and G says padding exactly where no
// element lies.
//
// (1) needs no question about the layout at hand: each step is an instance of a lemma
// about all integers, proven once. (2) and (3) are cut at the physical index y: F and R arrive at y
// by questions about one dimension at a time, which do not mention the sizes of the array unless
// they matter; from y to the offset both are the same sum. Going back, o is that sum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/layout/shape.h"
#include "verify/prove/smt/smt_context.h"

namespace tileproof::verify {

struct LayoutProof {
  Verdict verdict = Verdict::kUndecided;
  std::string counterexample;                   // where refuted: one line, evaluated on both sides
  std::string open;                             // where undecided: the first question left open
  std::optional<std::vector<int64_t>> at = {};  // the index of a counterexample that has one
};

// The lemmas of impl/lemmas/lemmas.h that (1) and the cuts of (2) and (3) rest on, by name.
absl::Span<const absl::string_view> step_lemmas();

// Proves them, once in a session.
Verdict prove_step_lemmas(ProofSession& session);

// Errors: what spec::tiled_layout refuses.
absl::StatusOr<LayoutProof> prove_layout(const Shape& shape, ProofSession& session);

}  // namespace tileproof::verify

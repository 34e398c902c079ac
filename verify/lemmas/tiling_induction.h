// SPDX-License-Identifier: Apache-2.0
// Padded, repeated tilings are bijections, for all ranks, sizes, tiles and lists of steps: an induction
// over the list, from instances of the tiling lemmas.
//
// verify/lemmas/tilings.v shows the same, but only where Coq is installed. This file derives it from
// the lemmas and their certificates alone, in every `tileproof prove lemmas` and every test run.
//
// A tiling is a list of steps on an array of indices and sizes, as in the layout documents:
//     split     a dimension of index e and size n becomes tile number e floordiv t of ceildiv(n, t)
//               and position e mod t of t; it is padded to ceildiv(n, t) * t
//     combine   two neighboring dimensions become one: i * n + j
//     move      permutes the dimensions
//     one       inserts a dimension of size 1
// followed by combining everything into one number, the offset. The array has an element. (Otherwise
// a size is 0, the total size is 0, and there is nothing to show.)
//
// What is shown for a list of steps:
//     encode   every index within the sizes has an offset within the total size, and undoing the
//              steps one by one returns the index: no two elements share an offset;
//     decode   undoing the steps for an offset within the total size gives an index within the
//              padded sizes. If it is within the sizes that were split, the steps lead back to the
//              offset; otherwise the offset is padding: every offset is one element or padding.
//
// It holds for the empty list. For a list with one more step, encode and decode of that step are
// needed, on any array whose indices are within its sizes, which is what the list before it gives. A
// step changes one or two dimensions and leaves the others alone, so it is shown for these, whose
// indices, sizes and tiles are variables. Move changes no number.
//
// The check of a step is syntactic, without a solver: an instance of a lemma may be used if each of
// its hypotheses, as a polynomial over its floors (verify/lemmas/proof_script.h), is an assumption
// or an earlier conclusion.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/lemmas/lemma.h"
#include "verify/lemmas/lemma_numbers.h"

namespace tileproof::lemmas {

// An instance of a lemma of impl/lemmas/lemmas_tiling.h.
struct LemmaInstance {
  std::string lemma;
  std::vector<Term> terms;  // one for each variable of the lemma
};

// One direction of a step. It assumes some facts, uses instances of lemmas in their order, and must show
// others.
struct TilingClaim {
  std::string name;  // "split, encode"
  impl::Facts<Term> given;
  std::vector<LemmaInstance> by;
  impl::Facts<Term> shows;
};

// Both halves of each step that changes numbers.
std::vector<TilingClaim> tiling_claims();

// Errors: the instance that may not be used, or the fact that is not shown.
absl::Status check_tiling_claim(const TilingClaim& claim);

// Checks all claims. Returns the names of the lemmas that they use, each once, sorted.
absl::StatusOr<std::vector<std::string>> prove_tilings_by_induction();

}  // namespace tileproof::lemmas

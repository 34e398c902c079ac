// SPDX-License-Identifier: Apache-2.0
// Writes the lemmas and the induction over layout steps as Coq files.
//
//     lemmas.v     each lemma as a theorem, with a proof made from its certificate
//     tilings.v    every list of layout steps is a bijection up to padding, for all ranks, sizes
//                  and numbers of tiles (verify/lemmas/tilings.v)
//
//     tileproof prove lemmas --coq DIR && cd DIR && coqc lemmas.v && coqc tilings.v
//
// coqc accepts both and prints "Closed under the global context" for each theorem: it rests on no
// axiom. The script verify/prove/lemmas/coq_agrees.sh counts these lines. The command also writes
// layouts.v, which ties tilings.v to the reference (verify/prove/layout/coq_layouts.h).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "verify/prove/lemmas/lemma_proof.h"

namespace tileproof::lemmas {

// Makes the directory if it is missing. Errors: a lemma has no certificate; a file cannot be
// written.
absl::Status write_coq(const std::string& directory, const std::vector<LemmaReport>& reports);

}  // namespace tileproof::lemmas

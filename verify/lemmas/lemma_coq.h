// SPDX-License-Identifier: Apache-2.0
// Writes lemmas as theorems for Coq, with proofs made from their certificates.
//
// Coq's kernel then accepts a lemma without trusting any code of Tileproof but this printer of
// statements. Numbers are Coq's Z. Its Z.div rounds down and its Z.modulo belongs to Z.div, so they
// are floordiv and mod. `ceildiv` is a notation for - ((- x) / c).
//
//     Theorem exact_division : forall c x : Z, 0 < c -> (c * x) / c = x.
//
// A certificate lists products of facts for each query (verify/lemmas/certificate.h). The proof
// states these products, and `lia` adds them up. The proof follows the script of the lemma
// (verify/lemmas/proof_script.h): it names quotient and remainder of each division, then shows each
// query in turn.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "verify/lemmas/certificate.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

// The start of a file of theorems: imports, the notation, and two facts about Z.div.
std::string coq_prelude();

// "digit_quotient" for the lemma digit-quotient.
std::string coq_name(const StatedLemma& lemma);

// One line: "forall c x : Z, 0 < c -> (c * x) / c = x".
std::string coq_statement(const StatedLemma& lemma);

// The theorem and the lemmas that it needs, one for each script. Ends with `Print Assumptions`,
// for which Coq prints "Closed under the global context". The certificate must be of the lemma
// (check_certificate); an error says what does not fit.
absl::StatusOr<std::string> coq_theorem(const StatedLemma& lemma, const Certificate& certificate);

// The induction over layout steps, the text of verify/lemmas/tilings.v: every list of steps is a
// bijection up to padding, for all ranks, sizes and numbers of tiles. Needs the lemmas in lemmas.v.
std::string coq_tilings();

}  // namespace tileproof::lemmas

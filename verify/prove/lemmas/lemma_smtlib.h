// SPDX-License-Identifier: Apache-2.0
// Writes the proof obligations as SMT-LIB, for any other solver.
//
// Two files for each lemma:
//     NAME.smt2          the statement over the integers, with div and mod: the hypotheses and the
//                        negated conclusion. Expected: unsat.
//     NAME.linear.smt2   every query of its proof in linear arithmetic over monomials, with the
//                        facts that its certificate names, one (check-sat) each. Expected: unsat.
// Both carry the expected status. The script verify/prove/lemmas/cvc5_agrees.sh runs cvc5 on such a
// directory.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "verify/lemmas/certificate.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

std::string statement_smtlib(const StatedLemma& lemma);

// Errors: the certificate does not fit the lemma's scripts.
absl::StatusOr<std::string> linear_smtlib(const StatedLemma& lemma, const Certificate& certificate);

}  // namespace tileproof::lemmas

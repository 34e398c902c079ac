// SPDX-License-Identifier: Apache-2.0
// Finds the certificate of a query with Z3, in linear arithmetic.
//
// Every product of two facts is treated as a fact. Which multiples of the facts add up to -1 is a
// linear question over the rationals (QF_LRA), which Z3 always decides. The search starts with few facts
// and takes more only if they do not suffice:
//   1. the facts themselves;
//   2. also equalities times variables, and the negation times each fact;
//   3. also all products of two inequalities, and equalities times monomials of degree up to three
//      that occur.
//
// Z3 is not trusted: verify/lemmas/certificate.h adds its answer up. The result is
// deterministic: each question has its own context and fixed seeds.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "verify/lemmas/certificate.h"
#include "verify/lemmas/proof_script.h"

namespace tileproof::lemmas {

// A fact in the solver's form, and its origin.
struct LinearFact {
  CertificateTerm source;  // multiplier 1
  Polynomial polynomial;
};

// Returns the facts of effort 1, 2 or 3, as listed above.
std::vector<LinearFact> linear_facts(const Query& query, int effort);

struct FoundCertificate {
  std::vector<CertificateTerm> terms;
  int effort = 0;
};

// Errors: no certificate with these facts, or the time is over.
absl::StatusOr<FoundCertificate> find_certificate(const Query& query,
                                                  unsigned timeout_milliseconds);

}  // namespace tileproof::lemmas

// Finds the certificate of a query with Z3, in linear arithmetic.
//
// Every monomial is a number of its own, every product of two facts a fact: what is left is linear
// over the rationals (QF_LRA), which Z3 always decides. It is asked twice: first whether the facts
// contradict each other, and which of them (the core); then which multiples of these add up to -1.
// Few facts are tried first, more only when they do not suffice:
//   1. the facts themselves;
//   2. also equalities times variables, and the negation times each fact;
//   3. also all products of two inequalities, and equalities times monomials of degree up to three
//      that occur.
//
// Z3 is not trusted: what it finds is added up by verify/lemmas/certificate_check.h. Same input,
// same answer: each question has its own context and fixed seeds.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "verify/lemmas/certificate.h"
#include "verify/lemmas/proof_script.h"

namespace tileproof::lemmas {

// A fact as the solver sees it, and where it comes from.
struct LinearFact {
  CertificateTerm source;  // multiplier 1
  Polynomial polynomial;
};

// The facts of an effort of 1, 2 or 3, as above.
std::vector<LinearFact> linear_facts(const Query& query, int effort);

struct FoundCertificate {
  std::vector<CertificateTerm> terms;
  int effort = 0;
};

// An error: no certificate with these facts (unless the time ran out, as it says).
absl::StatusOr<FoundCertificate> find_certificate(const Query& query,
                                                  unsigned timeout_milliseconds);

}  // namespace tileproof::lemmas

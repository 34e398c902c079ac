// SPDX-License-Identifier: Apache-2.0
// Checks the certificate of a lemma by adding it up, without a solver.
//
// To trust that every lemma holds for all integers, read this file, verify/lemmas/proof_script.*
// (what must be shown), verify/lemmas/polynomial.* (exact arithmetic) and
// verify/lemmas/lemma_numbers.* (how a declaration is read). The way in which a certificate was
// found does not matter.
#pragma once

#include "absl/status/status.h"
#include "verify/lemmas/certificate.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

// OK: the certificate proves the lemma for all integers, and its point satisfies the hypotheses
// (for an equivalence, also the left side). The checker derives everything that must be shown from
// the declaration. The certificate contributes only the signs of the divisors, the point and the
// multipliers.
absl::Status check_certificate(const StatedLemma& lemma, const Certificate& certificate);

// Checks that the terms prove the query: multipliers of inequalities are positive, and the sum is
// -1.
absl::Status check_query(const Query& query, const std::vector<CertificateTerm>& terms);

}  // namespace tileproof::lemmas

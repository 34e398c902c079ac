// Checks the certificate of a lemma by adding it up. No solver.
//
// To believe that every lemma holds for all integers, it is enough to believe this file,
// verify/proof_script.* (what must be shown), verify/polynomial.* (exact arithmetic) and
// verify/lemmas/lemma_numbers.* (how a declaration is read). How the certificate was found does not
// matter.
#pragma once

#include "absl/status/status.h"
#include "verify/lemmas/certificate.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::verify {

// OK: the certificate proves the lemma for all integers, and its point satisfies the hypotheses
// (for an equivalence, also the left side). Everything that must be shown is derived from the
// declaration again; the certificate contributes the signs of the divisors, the point and the
// multipliers.
absl::Status check_certificate(const StatedLemma& lemma, const Certificate& certificate);

// The terms prove the query: multipliers of inequalities are positive and the sum is -1.
absl::Status check_query(const Query& query, const std::vector<CertificateTerm>& terms);

}  // namespace tileproof::verify

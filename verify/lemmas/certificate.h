// SPDX-License-Identifier: Apache-2.0
// Certificates: data that shows that a lemma holds for all integers.
//
// For each query of each script of the lemma (verify/lemmas/proof_script.h), a certificate lists
// multiples that add up to -1. As text:
//
//     lemma digit-quotient
//     statement 0 < n and 0 <= r and r < n => (q * n + r) floordiv n = q
//     point q=0 n=1 r=0                            the hypotheses can be satisfied, as here
//     script forward
//     witness q0 r0: n*q + r by n, positive
//     query divisor n > 0
//       1 i0                                       1 times inequality 0
//       1 i3                                       the negation: it comes last
//     query (q * n + r) floordiv n = q, not greater
//       1 e0 1                                     1 times equality 0 times the monomial 1
//       1 i0 i6                                    1 times the product of inequalities 0 and 6
//       ..
//
// Equalities and inequalities are numbered from 0 in the order of the script. The text repeats what
// it proves, for readers only: the checker (verify/lemmas/certificate.h) derives everything
// again from the declaration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/lemmas/polynomial.h"
#include "verify/lemmas/proof_script.h"

namespace tileproof::lemmas {

// multiplier * (equality * monomial), or multiplier * (product of inequalities).
struct CertificateTerm {
  Fraction multiplier;
  bool equality = false;
  std::vector<size_t> facts;  // one equality, or one or more inequalities
  Monomial monomial;          // only for an equality
};

struct QueryCertificate {
  std::string shows;
  std::vector<CertificateTerm> terms;
};

struct ScriptCertificate {
  std::string name;
  std::vector<std::string> witnesses;  // as witness_text writes them
  std::vector<bool> negative;          // whether each witness's divisor is negative
  std::vector<QueryCertificate> queries;
};

struct Certificate {
  std::string lemma;
  std::string statement;
  std::vector<int64_t> point;  // one value for each variable of the lemma
  std::vector<std::string> point_names;
  std::vector<ScriptCertificate> scripts;
};

// "q0 r0: c*x by c, positive".
std::string witness_text(const Witness& witness);

std::string to_text(const Certificate& certificate);
// Errors name the line.
absl::StatusOr<Certificate> parse_certificate(absl::string_view text);

// Checks the certificate of a lemma by adding it up, without a solver.
//
// To trust that every lemma holds for all integers, read this file, verify/lemmas/proof_script.*
// (what must be shown), verify/lemmas/polynomial.* (exact arithmetic) and
// verify/lemmas/lemma_numbers.* (how a declaration is read). The way in which a certificate was
// found does not matter.

// OK: the certificate proves the lemma for all integers, and its point satisfies the hypotheses
// (for an equivalence, also the left side). The checker derives everything that must be shown from
// the declaration. The certificate contributes only the signs of the divisors, the point and the
// multipliers.
absl::Status check_certificate(const StatedLemma& lemma, const Certificate& certificate);

// Checks that the terms prove the query: multipliers of inequalities are positive, and the sum is
// -1.
absl::Status check_query(const Query& query, const std::vector<CertificateTerm>& terms);

}  // namespace tileproof::lemmas

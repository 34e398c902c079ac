// SPDX-License-Identifier: Apache-2.0
// Proves lemmas for all integers.
//
//     for (const LemmaReport& report : prove_lemmas({}))
//       std::cout << report.name << ": " << report.statement << "\n";
//
// For Coq, lemmas.v has each lemma as a theorem, with a proof made from its certificate, and tilings.v
// the induction over layout steps (verify/lemmas/tilings.v). coqc accepts both and prints "Closed under
// the global context" for each theorem: it rests on no axiom. verify/prove/lemmas/coq_agrees.sh counts
// these lines.
//
//     tileproof prove lemmas --coq DIR && cd DIR && coqc lemmas.v && coqc tilings.v
//
// Each lemma has a script that gives its queries (verify/lemmas/proof_script.h). Z3 finds a
// certificate for each query (verify/prove/lemmas/linear_solver.h). The checker, which uses no
// solver, adds the certificate up (verify/lemmas/certificate.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "verify/lemmas/certificate.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

struct ProofOptions {
  unsigned query_timeout_milliseconds = 10'000;
  unsigned threads = 2;               // 1: only the caller's thread
  std::string smtlib_directory = {};  // where to write every obligation as SMT-LIB (it must exist);
                                      // empty: nowhere
  std::string coq_directory = {};  // where to write lemmas.v and tilings.v, made if missing; empty:
                                   // nowhere
  // Called after each lemma and the tilings, one call at a time, with how many are done.
  std::function<void(int64_t done, int64_t all)> progress = {};
};

struct LemmaReport {
  std::string name;
  std::string says;       // in prose
  std::string subject;    // "rewriting", "range", "constraint", "tiling", "tilings"
  std::string statement;  // "0 < c => (c * x) floordiv c = x"
  int queries = 0;        // questions for linear arithmetic
  int terms = 0;          // of all certificates; tilings: lemmas that they need
  double seconds = 0;
  bool proven = false;               // for all integers
  bool certificate_checked = false;  // added up without a solver
  std::string bounded;      // empty when proven; otherwise what was shown only up to a bound, or
                            // refuted, and the reason
  Certificate certificate;  // if proven; empty for the tilings
};

// Proves all lemmas, in the order of the manual, then the tilings, which follow from lemmas. Errors: a
// file cannot be written.
absl::StatusOr<std::vector<LemmaReport>> prove_lemmas(const ProofOptions& options);

// Proves the tilings (verify/lemmas/tiling_induction.h) if the reports show that the lemmas they need
// are proven.
LemmaReport prove_tilings(const std::vector<LemmaReport>& lemmas);

// Proves one lemma.
LemmaReport prove_lemma(const StatedLemma& lemma, const ProofOptions& options);

// Returns the certificate of a lemma, unchecked. An error names the query without a certificate.
absl::StatusOr<Certificate> find_lemma_certificate(const StatedLemma& lemma,
                                                   const ProofOptions& options);

// Writes both files of lemma_smtlib.h for each report, the second only if it has a certificate. The
// directory must exist.
absl::Status write_smtlib(const std::string& directory, const std::vector<LemmaReport>& reports);

// One line with the counts and the total time of all threads.
std::string summary(const std::vector<LemmaReport>& reports);

}  // namespace tileproof::lemmas

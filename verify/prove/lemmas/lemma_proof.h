// Proves lemmas for all integers.
//
//     for (const LemmaReport& report : prove_lemmas({})) std::cout << report.name << ": " <<
//     report.statement << "\n";
//
// For each lemma: its queries are derived (verify/lemmas/proof_script.h), Z3 finds a certificate
// for each (verify/prove/lemmas/linear_solver.h), and the checker, which has no solver, adds it up
// (verify/lemmas/certificate_check.h).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "verify/lemmas/certificate.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

struct ProofOptions {
  unsigned query_timeout_milliseconds = 10'000;
  unsigned threads = 2;               // 1: none besides the caller's
  std::string smtlib_directory = {};  // where to write every obligation as SMT-LIB (it must exist);
                                      // empty: nowhere
};

struct LemmaReport {
  std::string name;
  std::string says;       // in words
  std::string subject;    // "rewriting", "range", "constraint", "tiling", "fold"
  std::string statement;  // "0 < c => (c * x) floordiv c = x"
  int queries = 0;        // questions answered by linear arithmetic
  int terms = 0;          // of the certificate, over all queries; of a fold: instances of lemmas
  double seconds = 0;
  bool proven = false;               // for all integers
  bool certificate_checked = false;  // the certificate was added up without a solver
  std::string bounded;      // empty when proven; otherwise what was shown only up to a bound, or
                            // refuted, and the reason
  Certificate certificate;  // when proven; empty for a fold
};

// All lemmas, in the order of the manual, and after them the tilings of rank 1 to 8 ("fold"), which
// follow from lemmas. An error only where a file cannot be written.
absl::StatusOr<std::vector<LemmaReport>> prove_lemmas(const ProofOptions& options);

// The tilings of a rank (verify/lemmas/tiling_fold.h); proven if the lemmas that they need are, by
// their reports.
LemmaReport prove_tilings(size_t rank, const std::vector<LemmaReport>& lemmas);

// One lemma.
LemmaReport prove_lemma(const StatedLemma& lemma, const ProofOptions& options);

// The certificate of a lemma, not checked; an error names the query that has none.
absl::StatusOr<Certificate> find_lemma_certificate(const StatedLemma& lemma,
                                                   const ProofOptions& options);

// One line of counts and the time of all threads together.
std::string summary(const std::vector<LemmaReport>& reports);

}  // namespace tileproof::lemmas

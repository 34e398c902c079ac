// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/proof_session.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "verify/prove/smt/proof_digest.h"

namespace tileproof::verify {

Verdict prove_once(const std::string& question, ProofSession& session,
                   absl::FunctionRef<Verdict()> prove) {
  const std::string kept_as = absl::StrCat("unsat 1 ", kProofDigest, "\n", question);
  if (session.proven.contains(question)) {
    ++session.shared;
  } else if (session.cache.find(kept_as) == "unsat") {
    ++session.kept;
  } else {
    const Verdict verdict = prove();
    if (verdict != Verdict::kProven) return verdict;
    session.cache.keep(kept_as, "unsat");
  }
  session.proven.insert(question);
  return Verdict::kProven;
}

Verdict ask_once(const std::string& question, ProofSession& session) {
  return prove_once(question, session, [&] {
    ++session.asked;
    const SolverSettings settings{.milliseconds = session.milliseconds_per_question};
    const Verdict verdict = ask_solver(question, settings, {}).verdict;
    write_smtlib(session.smtlib_directory, session.asked, question, verdict);
    return verdict;
  });
}

void write_smtlib(const std::string& directory, int64_t number, const std::string& text,
                  Verdict verdict) {
  if (directory.empty()) return;
  const bool proven = verdict == Verdict::kProven, refuted = verdict == Verdict::kRefuted;
  const char* status = proven ? "unsat" : refuted ? "sat" : "unknown";
  const char* shows =
      proven    ? "unsat: no counterexample exists, so this step of the proof holds"
      : refuted ? "sat: a weaker attempt, with fewer facts, which failed. A later question "
                  "decides, or the solution is the counterexample"
                : "unknown: the solver gave up in the time given";
  std::ofstream(absl::StrCat(directory, refuted ? "/attempt-" : "/question-", number, ".smt2"))
      << "; " << shows << "\n(set-info :status " << status << ")\n"
      << text << "(check-sat)\n";
}

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// What the proofs of several layouts share: answers, limits, and files of questions.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "verify/prove/smt/ask_solver.h"
#include "verify/prove/smt/proof_cache.h"

namespace tileproof::verify {

struct ProofSession {
  unsigned milliseconds_per_question = 10'000;
  std::string smtlib_directory;  // each question becomes a file there; none if empty

  ProofCache cache;  // of questions that other processes proved

  std::set<std::string> proven;  // questions
  int64_t identities = 0;        // questions that rearranging alone proved
  int64_t asked = 0;             // questions to the solver
  int64_t shared = 0;            // questions that the session had proven before
  int64_t kept = 0;              // questions that the cache knows
};

// Proven if the session or the cache knows that the question is, else the verdict of `prove`.
Verdict prove_once(const std::string& question, ProofSession& session,
                   absl::FunctionRef<Verdict()> prove);

// The solver's answer to a question without `(check-sat)`, unless it is known.
Verdict ask_once(const std::string& question, ProofSession& session);

// Writes `question-NUMBER.smt2` into the directory, unless `directory` is empty: a comment with what
// it shows, the question with `(check-sat)`, and the answer as its status. Not every question of a
// proof is unsat: an early form has fewer facts, and a sat answer leads to the next form. Such a
// file is `attempt-NUMBER.smt2`.
void write_smtlib(const std::string& directory, int64_t number, const std::string& text,
                  Verdict verdict);

}  // namespace tileproof::verify

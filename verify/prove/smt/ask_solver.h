// SPDX-License-Identifier: Apache-2.0
// Asks Z3 one question: an SMT-LIB text.
//
// Z3 answers each question in a fresh context, so the answer depends on the text alone.
//
//     (declare-const x Int) (assert (> x 1))      kRefuted, with x = 2, say
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tileproof::verify {

// What is known of a claim: a proof, a counterexample, or neither in the time given.
enum class Verdict { kProven, kRefuted, kUndecided };

// The answer of one call of the solver. Proven: the text is unsatisfiable. Refuted: the text is
// satisfiable, and `values` are the requested numbers in a model of it.
struct Answer {
  Verdict verdict = Verdict::kUndecided;
  std::vector<std::optional<int64_t>> values;  // absent: does not fit int64
};

struct SolverSettings {
  unsigned milliseconds = 10'000;
  unsigned arithmetic = 6;  // Z3's arith.solver: 6, or the older 2
};

// Asks in a fresh Z3 context. `text` is SMT-LIB without `(check-sat)`; `numbers` are names of constants
// that it declares: integers, bit-vectors of at most 64 bits, predicates.
Answer ask_solver(const std::string& text, const SolverSettings& settings,
                  const std::vector<std::string>& numbers);

}  // namespace tileproof::verify

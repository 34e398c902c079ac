// SPDX-License-Identifier: Apache-2.0
// Asks Z3 whether some sums can all be at least 0 at once.
//
//     claims   the sums in question; usually one, left - right - 1: is left > right somewhere?
//     domain   sums that are >= 0 in the domain
//
// A query has no disjunction, no div and no mod. A floor q = x floordiv c is a number with
//
//     0 <= x - c*q < c
//
// If p = y floordiv m is another floor, with c = k*m and x = y + m*z, the query also states
//
//     0 <= p + z - k*q < k
//
// This follows from the definitions of p and q, but a solver finds it only by cutting planes. If
// the query is still too hard, another form splits floors: for q = (g*a + y) floordiv (g*k) it adds
// p = y floordiv g and
//
//     0 <= a + p - k*q < k
//
// A product of atoms is a number with bounds that follow from its factors. Only the last forms also
// state that it is a product, which makes the query nonlinear.
//
// A question has up to four forms: without bounds, with bounds, with the domain, with products.
// Each has more facts than the one before, so the first form without a solution decides. Each form
// is an SMT-LIB text that names numbers in the order of their appearance, and Z3 answers it in a
// fresh context (verify/prove/smt/ask_solver.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "verify/prove/smt/ask_solver.h"
#include "verify/prove/smt/quasi_affine.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {

struct SolverSession {
  ThreadCpuClock::time_point deadline;
  std::string smtlib_directory;  // prove_impossible writes each question there; none if empty
  int64_t asked = 0;             // queries to the solver
  int64_t decided = 0;           // of them, those that it decided
  bool asks = true;              // if not, what needs the solver is undecided

  // Long loops without the solver ask this, too, and then give up.
  bool is_late() const { return ThreadCpuClock::now() >= deadline; }
};

// kProven: no values of the variables within their bounds make every sum at least 0. kRefuted: the
// solver found values, one for each variable, and `confirm` returned true for them. `confirm` must
// check them, because a form may omit facts.
Verdict prove_impossible(QuasiAffineContext& context, const std::vector<Sum>& claims,
                         const std::vector<Sum>& domain, SolverSession& solver_session,
                         absl::FunctionRef<bool(const std::vector<int64_t>&)> confirm);

}  // namespace tileproof::verify

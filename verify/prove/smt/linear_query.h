// Questions about sums, put to Z3: can all of these be at least 0 at once?
//
//     claims   sums that shall be >= 0; most often one: left - right - 1
//     domain   sums that are >= 0 wherever we look
//
// No disjunction, no div and no mod: a quotient q = x floordiv c is a number with
//
//     0 <= x - c*q < c       and, beside p = y floordiv m where c = k*m and x = y + m*z:
//     0 <= p + z - k*q < k
//
// which follows, but which a solver finds only by cuts. Where that is not enough quotients are
// split: beside q = (g*a + y) floordiv (g*k) stands p = y floordiv g, and
//
//     0 <= a + p - k*q < k
//
// A product of atoms is a number of its own
// with the bounds that its factors give; only where that is not enough is it told that it is a
// product, and the question becomes nonlinear.
//
// A question is asked in up to three forms, each with more facts than the one before: without
// bounds, with bounds, with the domain. What is impossible with fewer facts is impossible with
// more. Each is a text of SMT-LIB, numbers named in the order of their appearance, answered in a
// context of its own (verify/prove/smt/smt_context.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "verify/prove/smt/quasi_affine.h"
#include "verify/prove/smt/smt_context.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {

struct SolverSession {
  ThreadCpuClock::time_point deadline;
  std::string smtlib_directory;  // each question is written there; none if empty
  int64_t asked = 0;             // questions put to the solver
};

// kProven: no values of the variables within their bounds make every sum at least 0. kRefuted:
// `confirm` was shown values (one for each variable) and said yes. The values shown may be wrong,
// and are shown as soon as some are found.
Verdict prove_impossible(QuasiAffineContext& context, const std::vector<Sum>& claims,
                         const std::vector<Sum>& domain, SolverSession& solver_session,
                         absl::FunctionRef<bool(const std::vector<int64_t>&)> confirm);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Proves facts => A or B or .., where the facts, A, B, .. are conjunctions of sums >= 0.
//
// Takes the disjunction apart, so that the solver never sees one. A is the shortest conjunction.
// For each sum a of A in turn, one of these must hold:
//
//     facts => a
//     facts and not a => B or ..
//
// and a joins the facts for the next sum.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "verify/prove/smt/formula.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {

// Drops each of the needs that a single fact implies. Returns false if a single fact contradicts
// one of them.
bool drop_stated(const QuasiAffineContext& context, const Conjunction& facts, Conjunction& needs);

// kRefuted: the solver found values of all variables for which the facts hold and no conjunction
// does, and `confirm` returned true for them.
Verdict prove_disjunction(QuasiAffineContext& context, Conjunction facts,
                          std::vector<Conjunction> disjuncts, SolverSession& solver_session,
                          absl::FunctionRef<bool(const std::vector<int64_t>&)> confirm);

}  // namespace tileproof::verify

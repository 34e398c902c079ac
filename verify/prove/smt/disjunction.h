// facts => A or B or ..        each a conjunction of sums that are at least 0
//
// The disjunction is taken apart, so that the solver never sees one:
//
//     facts and not a => B or ..        for each sum a of A in turn, as long as it is not proven
//
// with the shortest conjunction for A.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "verify/prove/smt/formula.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {

// Drops what the facts say outright; false if they say that one of the needs does not hold.
bool drop_stated(const QuasiAffineContext& context, const Conjunction& facts, Conjunction& needs);

// kRefuted: `confirm` was shown values of all variables for which the facts hold, as far as the
// solver can be trusted, and no conjunction does, and said yes.
Verdict prove_disjunction(QuasiAffineContext& context, Conjunction facts,
                          std::vector<Conjunction> disjuncts, SolverSession& solver_session,
                          absl::FunctionRef<bool(const std::vector<int64_t>&)> confirm);

}  // namespace tileproof::verify

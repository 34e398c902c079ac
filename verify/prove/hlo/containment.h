// SPDX-License-Identifier: Apache-2.0
// Whether every pair of some disjuncts is a pair of others, by one of two ways:
//
//     enumeration    of all pairs, if they are few and nothing is read
//     cases          each disjunct alone, against all others (verify/prove/hlo/indexing_subset.h):
//                    first without the solver, and last with it
//
// Between both, pairs are enumerated again, of more disjuncts: a coordinate that is a variable of its
// own in all of them, or the same variable as another coordinate, is looked at once. If they have all
// pairs, paths of the definition have no others.
//
//     (o0)[s0, s1] -> (s0, (s1 floordiv 4) * 4 + s1)    s0 in [0, 999]: any o0 and s0, each s1
#pragma once

#include <cstdint>
#include <vector>

#include "spec/hlo/dependence.h"
#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/hlo/indexing_subset.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {

// The arrays that both unions are between.
struct Between {
  const SourceResolver& resolver;
  const spec::Dims& result;
  const spec::Dims& operand;
};

struct ContainmentOptions {
  int64_t enumerated = 4096;  // points at most
  Counterexamples counterexamples = Counterexamples::kSkipped;
};

SubsetProof prove_contained(const Between& between, const std::vector<Disjunct>& parts,
                            const std::vector<Disjunct>& whole, SolverSession& session,
                            const ContainmentOptions& options = {});

// Whether this is proven without the solver. False says nothing.
bool are_plainly_contained(const Between& between, const std::vector<Disjunct>& parts,
                           const std::vector<Disjunct>& whole, int64_t enumerated = 0);

// Whether the disjuncts plainly have all pairs of arrays that have elements.
//
//     (o0)[s0, s1] -> (s0)    s0 in [0, 7], s1 in [0, 2], o0 + s1 in [1, 7]    of f32[7] and f32[8]
bool have_all_pairs(const Between& between, const std::vector<Disjunct>& disjuncts);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Whether every pair of some disjuncts is a pair of others, by one of three ways:
//
//     enumeration    of all pairs, if they are few and nothing is read
//     cases          each disjunct alone, against all others (verify/prove/hlo/indexing_subset.h):
//                    first without the solver, and last with it
//     coverage       the others have all pairs with some equal coordinates, the disjuncts no more
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

enum class ContainedBy : uint8_t { kEnumeration, kCoverage, kCases };

struct Containment {
  SubsetProof proof;
  ContainedBy by = ContainedBy::kCases;
};

struct ContainmentOptions {
  int64_t enumerated = 4096;  // points at most
  Counterexamples counterexamples = Counterexamples::kSkipped;
  // Whether the pairs of the parts are known to be of elements that are there. A wrong map may leave
  // the array; a path of the definition does not.
  bool are_inside = true;
};

Containment prove_contained(const Between& between, const std::vector<Disjunct>& parts,
                            const std::vector<Disjunct>& whole, SolverSession& session,
                            const ContainmentOptions& options = {});

}  // namespace tileproof::verify

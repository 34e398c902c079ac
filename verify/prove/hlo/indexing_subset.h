// Is one part of a relation inside a union of parts?
//
//     for all o, s, and all values that are read:   part flows (o, s) to i
//                                            =>     for some branch of the union, and some s' of
//                                            it,
//                                                   the branch flows (o, s') to i
//
// The union's range variables s' are existential. They are not left to a solver: the equations
// index' = i are solved for them (a number that occurs once is what is left of its equation; of
// c1*x1 + c2*x2 + .., c1 larger than all the rest can be, x1 is the quotient by c1; ..), what is
// not determined is tried: a range variable of the part with the same bounds, or a bound. With
// every s' given, each branch is a conjunction of sums that must be at least 0, and
//
//     facts => A or B        is        facts and not a => B   for each a of A, in turn
//
// Every question is whether sums can be at least 0 at once, without quantifiers and disjunctions
// (verify/prove/smt/linear_query.h).
//
// A value that both read is the same variable if it is read from the same element, followed to
// where it comes from. Others are any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {

// The element `index` of the other array flows to `output` in the part, and in no branch of the
// union, where elements have these values (0 all others). Found by walking both with integers.
struct Counterexample {
  struct Element {
    HloPosition position;
    std::vector<int64_t> index;
    int64_t value = 0;
  };
  std::vector<int64_t> output;
  std::vector<int64_t> index;
  std::vector<Element> values;
};

struct SubsetProof {
  Verdict verdict = Verdict::kUndecided;
  std::optional<Counterexample> counterexample;  // exactly where refuted
};

// `dims` are those of the result's leaf.
SubsetProof prove_is_subset(const SourceResolver& resolver, const spec::Dims& dims,
                            const Disjunct& part, const std::vector<Disjunct>& whole,
                            SolverSession& solver_session);

// The same by walking every point, where there are at most `work` of them and no value is read;
// nothing otherwise.
std::optional<SubsetProof> enumerate_is_subset(const spec::Dims& dims,
                                               const std::vector<Disjunct>& parts,
                                               const std::vector<Disjunct>& whole, int64_t work);

}  // namespace tileproof::verify

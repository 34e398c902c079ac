// Is one disjunct of an access relation a subset of a union?
//
//     for all o, s, and all values read:   the disjunct maps (o, s) to i
//                                      =>  for some disjunct of the union, and some s' of it,
//                                          that disjunct maps (o, s') to i
//
// The range variables s' of the union are existential. No solver chooses them. First the equations
// index' = i are solved for them: a variable that occurs once is isolated; in c1*x1 + c2*x2 + ..
// with c1 larger than the rest can be, x1 is the quotient by c1; and so on. Variables that remain
// are tried: a range variable of the part with the same bounds, or a bound. With every s' fixed,
// each disjunct is a conjunction of sums that must be at least 0, and
//
//     facts => A or B        becomes        facts and not a => B   for each constraint a of A, in
//     turn
//
// Every question then asks whether some sums can be at least 0 at once, without quantifiers and
// disjunctions (verify/prove/smt/linear_query.h).
//
// A value that both sides read is the same variable if both read it from the same element, resolved
// to its source. All other values are unconstrained.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {

// A counterexample: the part has the pair (`output`, `index`), and no disjunct of the union has it,
// if elements have these values (0 all others). Confirmed by integer evaluation of both sides.
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
  std::optional<Counterexample> counterexample;  // present exactly if refuted
};

// `dims` are the dimensions of the result's leaf.
SubsetProof prove_is_subset(const SourceResolver& resolver, const spec::Dims& dims,
                            const Disjunct& part, const std::vector<Disjunct>& whole,
                            SolverSession& solver_session);

// Decides the same by enumeration. Returns nothing if there are more than `work` points or a value
// is read.
std::optional<SubsetProof> enumerate_is_subset(const spec::Dims& dims,
                                               const std::vector<Disjunct>& parts,
                                               const std::vector<Disjunct>& whole, int64_t work);

}  // namespace tileproof::verify

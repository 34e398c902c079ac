// SPDX-License-Identifier: Apache-2.0
// Decides whether one disjunct of an access relation is a subset of a union.
//
//     for all o, s, and all values read:   the disjunct maps (o, s) to i
//                                      =>  for some disjunct of the union, and some s' of it,
//                                          that disjunct maps (o, s') to i
//
// The range variables s' of the union are existential. The proof chooses a value for each without
// the solver. First it solves the equations index' = i for them (verify/prove/smt/equations.h). For
// each variable that is left it tries a range variable of the disjunct with the same bounds, or a
// bound. With every s' fixed, each disjunct of the union is a conjunction of sums >= 0, and
// verify/prove/smt/disjunction.h proves facts => A or B. Every question to the solver then is
// whether some sums can be at least 0 at once, without quantifiers and disjunctions.
//
// All values read are those of their element types: of u8, 0 to 255.
//
// A value that both sides read is the same variable if both read it from the same element, resolved
// to its source. A value that only the union reads is unconstrained: the pair must be in the union for
// each. So a map without an offset states pairs that flow for all of its values. One element has one
// value, wherever and however often the disjuncts of the union read it, and elements that are not
// the same one have values of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {

// A pair (`output`, `index`) that is in the disjunct and not in the union, if some elements have
// these values and all others are 0. Integer evaluation of both sides confirmed it.
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

// Whether a pair that is missing is searched: not at all, at a few points before the proof, or also with
// the solver, which takes long if the union has many.
enum class Counterexamples : uint8_t { kSkipped, kSampled, kWanted };

// `dims` are the dimensions of the result's leaf.
SubsetProof prove_is_subset(const SourceResolver& resolver, const spec::Dims& dims,
                            const Disjunct& part, const std::vector<Disjunct>& whole,
                            SolverSession& solver_session,
                            Counterexamples counterexamples = Counterexamples::kWanted);

}  // namespace tileproof::verify

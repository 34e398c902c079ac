// SPDX-License-Identifier: Apache-2.0
// Proves two maps equal by questions about quasi-affine expressions, each of which must be impossible.
//
// A claim is a sum that is at least 0 wherever the maps differ in one way. For the maps
//
//     (d0) -> (d0 mod 8), domain: d0 in [0, 99]
//     (d0) -> (d0 - 8 * (d0 floordiv 8)), domain: d0 in [0, 99]
//
// the claims are, within the left domain and then within the right one,
//
//     -1 - d0, d0 - 100                          d0 is out of the bounds of the other map
//     left - right - 1, right - left - 1         the result is greater on one side
//
// If rearranging (verify/prove/smt/quasi_affine.h) does not show that a claim is negative, the
// solver is asked (verify/prove/smt/linear_query.h): first about the whole box, then about halves
// of it, and so on.
#pragma once

#include <string>

#include "spec/lang/map/indexing_map.h"
#include "verify/prove/map/map_points.h"
#include "verify/prove/smt/linear_query.h"
#include "verify/prove/smt/proof_session.h"

namespace tileproof::verify {

struct EqualityVerdict {
  Verdict verdict = Verdict::kUndecided;
  Values found;      // if refuted: a point where the maps differ by the reference
  std::string open;  // if undecided: the first claim left open
};

// The maps have as many variables and results as each other, and no names. Without time left in
// the session, no question is asked: the answer rests on rearranging alone.
EqualityVerdict prove_equality(const IndexingMap& left, const IndexingMap& right,
                               SolverSession& session);

// Whether rearranging alone proves it, without a question to the solver.
bool are_rearranged(const IndexingMap& left, const IndexingMap& right);

// The same. But if the session writes questions, the solver is asked the whole
// one instead (verify/prove/map/map_smtlib.h), so that the proof rests on the file.
bool prove_at_once(const IndexingMap& left, const IndexingMap& right, ProofSession& session);

// The same, and if that does not prove it, the solver, for the session's time.
EqualityVerdict prove_same(const IndexingMap& left, const IndexingMap& right,
                           ProofSession& session);

}  // namespace tileproof::verify

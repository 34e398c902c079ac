// SPDX-License-Identifier: Apache-2.0
// Judges answers to hlo.index. An answer has many right spellings: only its relation counts.
//
//     request  {"op":"hlo.index","hlo":"r = f32[4] reverse(f32[4] p), dimensions={0}", ..}
//     answers  [["(d0) -> (3 - d0), domain: d0 in [0, 3]"]]                right
//              [["(d0) -> (3 - d0), domain: d0 in [0, 2]"]]                wrong: (3) has no source
//              [["(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]"]]  wrong, but right with
//                                                                          "inexact":[0]
//
// The judge enumerates the elements of the result and compares the maps with the provenance
// interpreter (spec/hlo/provenance.h). It does so for several values of the offsets and indices:
// one small value for all, random values, and values far out of range. It never uses the analysis
// (impl/hlo). It also compares a margin around the result: outside of it, no element reads anything.
// Assessments other than right and wrong:
//     kSuperset     an inexact list has all pairs of the relation, and others
//     kUnspecified  a list of the answer is "unknown", which the protocol allows
//     kOpen         the relation is too large to enumerate and hlo_proof.h does not decide; or the
//                   answer has fewer pairs than a reference that is itself a superset
// Source: INTERFACE, sections 2 "HLO" and 3.
#pragma once

#include <optional>
#include <string>

#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/provenance.h"

namespace tileproof::conform {

Assessment judge_hlo_index(const Json& request, const Answer& answer);

// Looks for points of an answer's maps outside of the array at which they start.
//
//     f32[2] -> f32[1] pad=-1_0    (d0) -> (d0 + 1), domain: d0 in [-1, 0]    the point d0 = -1
//
// The comparison of elements looks at a margin around the array (verify/compare/indexing_compare.h).
// This looks everywhere, by the equality of maps: each part of a map that is beyond the array must
// be equal to an empty map.

// What is wrong, if a map has a point outside of an array of sizes `dims`. Maps whose domain depends
// on a runtime variable are left to the comparison of elements, which knows the values.
std::optional<std::string> point_outside(const impl::Indexing& indexing, const spec::Dims& dims);

// Judges an answer to hlo.index about arrays that are too large to enumerate: it is proven or
// refuted (verify/prove/hlo/indexing_proof.h).

// Open if the question is about a computation, or from input to output with several arrays on a
// side.
Assessment judge_by_proof(const HloQuestion& question, const Answer& answer);

}  // namespace tileproof::conform

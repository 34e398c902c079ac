// SPDX-License-Identifier: Apache-2.0
// Judges answers about maps. There are many right answers, so the judge compares their meaning.
//
//     request  {"op":"map.simplify","map":"(d0) -> ((-d0) mod 2), domain: d0 in [0, 9]"}
//     answers  "(d0) -> (d0 mod 2), domain: d0 in [0, 9]"   right
//              "(d0) -> (d0 mod -2), domain: d0 in [0, 9]"  wrong: at d0 = 1: (1) and (-1)
//
// If the domain has few points, the judge compares the answer with the reference at each of them.
// Otherwise it compares a sample of points and asks the solver (verify/prove/map/map_equal.h). It
// never uses the simplifier. A claim that is neither proven nor refuted is kOpen.
// Source: INTERFACE, sections 2 "Maps" and 3.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::conform {

// The answer must have the same variables with the same names, the same domain, and the same
// results in it.
Assessment judge_simplify(const Json& request, const Answer& answer);

// The answer must be x -> second(first(x)) with the variables in INTERFACE's order. Their names are
// free.
Assessment judge_compose(const Json& request, const Answer& answer);

// The reference evaluates the maps at a claimed counterexample. {"equal": null} is kUnspecified.
Assessment judge_equal(const Json& request, const Answer& answer);

// OK if both maps have the same number of results and of variables of each kind.
absl::Status check_comparable(const IndexingMap& left, const IndexingMap& right);

// True if an intermediate value at the point does not fit 64 bits. Intermediate values include
// x - x mod c for x mod c, and -x for x ceildiv c.
bool leaves_64_bits(const IndexingMap& map, const spec::Point& point);

// True if an intermediate value needs more than 127 bits. Then the reference has no answer.
bool leaves_127_bits(const IndexingMap& map, const spec::Point& point);

// True if interval arithmetic cannot exclude that an intermediate value leaves signed integers of
// `bits` bits (2 to 64) at a point within the bounds.
bool may_leave(const IndexingMap& map, int64_t bits);

// The same for the maps of a request, and for the composed map.
bool request_may_leave(const Json& request, int64_t bits);

// An error is right too if a value may leave 64 bits.
Exact exact_maps(const Json& request);

}  // namespace tileproof::conform

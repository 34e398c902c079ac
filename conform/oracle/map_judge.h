// Is an answer about maps right? There are many right ones, so they are judged by what they mean.
//
//     request  {"op":"map.simplify","map":"(d0) -> ((-d0) mod 2), domain: d0 in [0, 9]"}
//     answers  "(d0) -> (d0 mod 2), domain: d0 in [0, 9]"   right
//              "(d0) -> (d0 mod -2), domain: d0 in [0, 9]"  wrong: at d0 = 1: (1) and (-1)
//
// What an answer claims is compared with the reference at every point where there are few, and
// otherwise at a sample of points and by the solver (verify/prove/map/map_equal.h); the simplifier is not
// asked. A claim that is neither proven nor refuted is `kOpen`, and is counted as such.
// Source: INTERFACE, sections 2 "Maps" and 3.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::conform {

// Same variables, with their names; accepts the same points; gives the same results there.
Assessment judge_simplify(const Json& request, const Answer& answer);

// x -> second(first(x)), with the variables in the order of INTERFACE; their names are free.
Assessment judge_compose(const Json& request, const Answer& answer);

// A claimed point is evaluated by the reference. Null is kUnspecified.
Assessment judge_equal(const Json& request, const Answer& answer);

// OK if both maps have as many variables of each kind, and results.
absl::Status check_comparable(const IndexingMap& left, const IndexingMap& right);

// Whether a value on the way, or a product that a division is defined by, needs more than 64 bits.
bool leaves_64_bits(const IndexingMap& map, const spec::Point& point);
// .. more than 127: then the reference has no answer.
bool leaves_127_bits(const IndexingMap& map, const spec::Point& point);

// Whether that can be so somewhere within the bounds, as far as intervals tell; `bits` from 2 to
// 64.
bool may_leave(const IndexingMap& map, int64_t bits);

// The same for all maps of a request; for an answer that needs 64 bits an error is right too.
bool request_may_leave(const Json& request, int64_t bits);
Exact exact_maps(const Json& request);

}  // namespace tileproof::conform

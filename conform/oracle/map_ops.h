// SPDX-License-Identifier: Apache-2.0
// The operations of the protocol on indexing maps.
//
//     map.evaluate   map, dims, ranges, runtime   the results, or null outside the domain
//     map.simplify   map                          MAP
//     map.compose    first, second                MAP
//     map.equal      left, right                  {"equal": true}, {"equal": null},
//                    {"equal": false, "at": {"dims", "ranges", "runtime"}, "left", "right"}
//
// The reference (kSpec) evaluates and composes. It neither simplifies nor proves. `KNOWN EMPTY` is
// a valid answer, but not a valid request. A missing array of values means an empty one.
// Source: INTERFACE, sections 2 "Maps" and 3.
#pragma once

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::conform {

absl::StatusOr<Result> map_evaluate(const Json& request, Engine engine);
absl::StatusOr<Result> map_simplify(const Json& request, Engine engine);
absl::StatusOr<Result> map_compose(const Json& request, Engine engine);
absl::StatusOr<Result> map_equal(const Json& request, Engine engine);

// An error is right too if an intermediate value leaves 64 bits. At a coordinate that does not fit
// 64 bits, null is right too.
Exact exact_evaluate(const Json& request);

// Parses a map. A memo keeps recent results. The result is valid until the next call.
const absl::StatusOr<IndexingMap>& map_of_text(absl::string_view text);

// Parses the map under a key of a request.
absl::StatusOr<IndexingMap> map_under(const Json& request, absl::string_view key);

// Reads a point {"dims", "ranges", "runtime"}.
absl::StatusOr<spec::Point> point_in(const Json& json);
Json point_json(const spec::Point& point);

// The operation map.transactions of the protocol: the memory transactions of warps, as
// spec/access/coalescing.h defines them.
//
//     {"op":"map.transactions","threads":"(th_x) -> (th_x), domain: th_x in [0, 63]",
//      "access":"(d0) -> (d0), domain: d0 in [0, 63]","shape":"f32[64]","warp":32,"width":32}
//     {"result":{"accesses":2,"transactions":8,"most":4,"elements":64}}
//
// `warp` and `width` (in bytes) are 32 by default. In the result, "accesses" counts the accesses
// with at least one active thread. "most" is the largest number of transactions of one access.
// "elements" counts the different elements of each access, summed over all accesses.

absl::StatusOr<Result> map_transactions(const Json& request, Engine engine);
Assessment judge_transactions(const Json& request, const Answer& answer);

}  // namespace tileproof::conform

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

}  // namespace tileproof::conform

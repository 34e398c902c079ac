// The operations of the protocol on indexing maps: answers by the reference and by the closed
// forms.
//
//     map.evaluate   map, dims, ranges, runtime   the results, or null outside the domain
//     map.simplify   map                          MAP
//     map.compose    first, second                MAP
//     map.equal      left, right                  {"equal": true}, {"equal": null},
//                    {"equal": false, "at": {"dims", "ranges", "runtime"}, "left", "right"}
//
// The reference (kSpec) evaluates and composes; it does not simplify, and it has no proofs.
// `KNOWN EMPTY` may be an answer; as a request it is invalid. An array of values that a request
// lacks is an empty one. Source: INTERFACE, sections 2 "Maps" and 3.
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

// Whether a value on the way leaves 64 bits; null for a coordinate that does.
Exact exact_evaluate(const Json& request);

// The map of a text, or why it is none. The last thousand or so are remembered; good until the next
// call.
const absl::StatusOr<IndexingMap>& map_of_text(absl::string_view text);

// The map under a key of a request, or why it is none.
absl::StatusOr<IndexingMap> map_under(const Json& request, absl::string_view key);

// The point {"dims", "ranges", "runtime"}.
absl::StatusOr<spec::Point> point_in(const Json& json);

}  // namespace tileproof::conform

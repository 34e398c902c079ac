// Composition of indexing maps by its definition.
//
//     compose(first, second): x -> second(first(x)) on { x in dom(first), first(x) in dom(second) }
//
// written down as a map: wherever `second` speaks of its dimension i, stands the result i of
// `first`, and each of these results must be within the bounds of that dimension.
//
//     first     (d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]
//     second    (d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 1]
//     composed  (d0)[s0, s1] -> ((d0 + s1) * 2 + s0),
//               domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 1], d0 + s1 in [0, 4]
//
// The dimensions are those of `first`; the ranges those of `second`, then those of `first`; runtime
// variables likewise. All have their default names. Source: INTERFACE, section 2 "Maps".
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::spec {

// An error unless `first` has as many results as `second` has dimensions. Maps must be valid, and
// not known to be empty.
absl::StatusOr<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second);

}  // namespace tileproof::spec

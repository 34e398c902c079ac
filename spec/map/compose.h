// SPDX-License-Identifier: Apache-2.0
// Composition of indexing maps by definition.
//
//     compose(first, second): x -> second(first(x)) on { x in dom(first), first(x) in dom(second) }
//
// The composed map replaces each dimension i of `second` by result i of `first`. A new constraint
// keeps that result within the bounds of dimension i.
//
//     first     (d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]
//     second    (d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 1]
//     composed  (d0)[s0, s1] -> ((d0 + s1) * 2 + s0),
//               domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 1], d0 + s1 in [0, 4]
//
// The dimensions are those of `first`. The range variables are those of `second`, then those of
// `first`; runtime variables likewise. All variables have their default names.
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::spec {

// Fails unless `first` has as many results as `second` has dimensions. Both maps must be valid and
// not known to be empty.
absl::StatusOr<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second);

}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// Looks for points of an answer's maps outside of the array at which they start.
//
//     f32[2] -> f32[1] pad=-1_0    (d0) -> (d0 + 1), domain: d0 in [-1, 0]    the point d0 = -1
//
// The comparison of elements looks at a margin around the array (verify/compare/indexing_compare.h).
// This looks everywhere, by the equality of maps: each part of a map that is beyond the array must
// be equal to an empty map.
#pragma once

#include <optional>
#include <string>

#include "impl/hlo/indexing.h"
#include "spec/hlo/provenance.h"

namespace tileproof::conform {

// What is wrong, if a map has a point outside of an array of sizes `dims`. Maps whose domain depends
// on a runtime variable are left to the comparison of elements, which knows the values.
std::optional<std::string> point_outside(const impl::Indexing& indexing, const spec::Dims& dims);

}  // namespace tileproof::conform

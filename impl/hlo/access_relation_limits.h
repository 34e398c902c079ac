// Keeping relations, and unions of them, small.
#pragma once

#include "impl/hlo/access_relation.h"

namespace tileproof::impl {

// Of runtime variables that are one element of one place, clamped alike, the first takes the place
// of the others. Whether there were others.
//
//     (d0){rt0, rt1} -> (d0 - rt0 + rt1)      both are n      (d0){rt0} -> (d0 - rt0 + rt0)
bool merge_runtime(AccessRelation& relation);

// Drops runtime variables that neither the index nor a condition depends on, and range variables
// that are used no more; numbers range variables in the order of their first use. Too many runtime
// variables become range variables, which makes the relation inexact.
void tidy(AccessRelation& relation);

// The part of it that is about range variables.
void tidy_ranges(AccessRelation& relation);

// Whether it has more terms, range variables or conditions than kMaxNodes and the like allow.
bool beyond_limits(const AccessRelation& relation);

// Drops what other relations of the bag contain, once there are a few; and with more than
// kMaxRelations drops conditions, at last everything but one relation.
void reduce_union(UnionMap& union_map, const Dims& output, const Dims& operand);

}  // namespace tileproof::impl

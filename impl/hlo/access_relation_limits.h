// SPDX-License-Identifier: Apache-2.0
// Limits that keep relations, and unions of them, small.
#pragma once

#include <cstddef>
#include <vector>

#include "impl/hlo/access_relation.h"

namespace tileproof::impl {

// The position of the first result of each runtime value.
std::vector<size_t> first_results(const AccessRelation& relation);

// Merges runtime variables that read the same element of the same position and are clamped alike:
// the first replaces the others. Returns whether anything was merged.
//
//     (d0){rt0, rt1} -> (d0 - rt0 + rt1)      both are n      (d0){rt0} -> (d0 - rt0 + rt0)
bool merge_runtime(AccessRelation& relation);

// Drops runtime variables that neither the index nor a constraint depends on, and unused range
// variables. Numbers range variables in the order of their first use. Turns excess runtime
// variables into range variables, which makes the relation inexact.
void tidy(AccessRelation& relation);

// The part of `tidy` that is about range variables.
void tidy_ranges(AccessRelation& relation);

// Whether a visibly contains b: each result of a is any index, or the same expression of dimensions as
// in b. `output`, `operand`: the sizes of the arrays between which both are.
bool contains(const AccessRelation& a, const AccessRelation& b, const Dims& output,
              const Dims& operand);

// Whether the map has more than kMaxNodes, kMaxRanges or kMaxConstraints.
bool beyond_limits(const AccessRelation& relation);

// Drops relations that another relation of a union of five or more contains. A union of more than
// kMaxRelations becomes the inexact universe.
void reduce_union(UnionMap& union_map, const Dims& output, const Dims& operand);

}  // namespace tileproof::impl

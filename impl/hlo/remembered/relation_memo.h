// SPDX-License-Identifier: Apache-2.0
// Remembers what was made of access relations. The layers of a network are alike, so most of their
// relations are composed and simplified from the same parts again and again.
//
// What is remembered depends on the relations and sizes alone. Each thread has its own tables, which
// are emptied when they are full.
//
// Layers read offsets from different arrays. Nothing depends on which array a runtime variable is
// read from, only on whether two are read from one. So an earlier result for other arrays is the
// same with these arrays in it.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "impl/hlo/access_relation.h"

namespace tileproof::impl {

// A hash of the map's values. It does not depend on which arrays runtime variables are read from.
uint64_t fingerprint_of(const AccessRelation& relation);

using MakeRelation = absl::FunctionRef<AccessRelationPtr()>;

// make(), or its earlier result for these sizes: the universe, or the identity.
AccessRelationPtr remembered_between(const Dims& output, const Dims& operand, bool universe,
                                     MakeRelation make);

// make(), or its earlier result for two relations of the same fields and these sizes. make() must
// not depend on positions of runtime variables but for whether they are equal.
AccessRelationPtr remembered_composition(const AccessRelationPtr& first,
                                         const AccessRelationPtr& second, const Dims& x,
                                         const Dims& y, const Dims& z, MakeRelation make);

// make(), or its earlier result for a relation of the same fields, whose fingerprint is set, between
// arrays of these sizes: what an iteration of a loop reads, or the inverse.
enum class MadeOf : uint8_t { kLoopRead, kInverse };
AccessRelationPtr remembered_one(MadeOf made, const AccessRelationPtr& relation, const Dims& output,
                                 const Dims& operand, MakeRelation make);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// An integer array has different values at different indexes. Each case says where, and which value; this
// file says what an operation makes of the cases of its operands. The dimensions of all maps are one index.
//
//     max(d0, 3)      d0 where d0 in [3, 9]; 3 where d0 in [0, 2]
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "impl/hlo/access_relation.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// A value where the conditions of the map hold: a node of the map. There are no results.
struct Case {
  static constexpr NodeId kAnything = -1;  // the element may have any value
  static constexpr NodeId kLost = -2;      // it has one that is not followed

  IndexingMap map;
  NodeId value = kAnything;
};
using Cases = std::vector<Case>;

// One case: wherever the relation has an element.
Cases everywhere(const AccessRelation& at, NodeId value);

bool all_are(const Cases& cases, NodeId value);
bool any_is(const Cases& cases, NodeId value);

// The values of an expression; nothing if they do not fit 64 bits.
std::optional<Interval> values_of(const IndexingMap& map, NodeId expression);

NodeId add_product(ExprTable& nodes, NodeId x, int64_t factor);

// Adds the condition `expression in interval`. Returns false if it never holds.
bool require(IndexingMap& map, NodeId expression, Interval interval);

// The conditions under which a predicate may be true, and may be false. Each map is one of several
// alternatives, without results.
struct PredicateConditions {
  std::vector<IndexingMap> yes, no;
  bool gave_up = false;  // too many cases, or a value that is not followed: the lists say nothing
};
PredicateConditions conditions_of(const Cases& predicate, const Dims& sizes);

// The predicate without cases that others contain.
Cases absorbed(const Cases& predicate, const Dims& sizes);

// `sizes`: of the array whose index the dimensions are. Predicates are 0 or 1. Where there would be
// more than 2 * most cases, all values are lost.
Cases combined(HloOpcode opcode, const Cases& a, const Cases& b, const Dims& sizes, size_t most);
Cases nearest(bool smaller, const Cases& a, const Cases& b, const Dims& sizes, size_t most);
Cases compared(const std::string& direction, const Cases& a, const Cases& b, const Dims& sizes,
               size_t most);
Cases chosen(const Cases& predicate, const Cases& if_true, const Cases& if_false,
             const Dims& sizes);
Cases logical(HloOpcode opcode, const Cases& a, const Cases& b, const Dims& sizes);
Cases negated(Cases cases);
Cases negated_predicate(Cases cases);
Cases from_0_on(Cases cases);  // a value that may be negative is lost

}  // namespace tileproof::impl

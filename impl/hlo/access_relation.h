// SPDX-License-Identifier: Apache-2.0
// Access relations: the dependences between the elements of two arrays of a program.
//
// An AccessRelation is an indexing map from output index to operand index that also knows where its
// runtime variables come from. A runtime variable is the clamped value of one element of an array
// of integers. The index of that element is a function of the output index and range variables:
//
//     f32[4,8] gather(f32[9,8] table, s32[4] rows)
//     map      (d0, d1){rt0} -> (rt0, d1; d0), domain: .., rt0 in [0, 8]
//     values   rt0: element (d0) of rows
//
// So the map has more results than the operand has dimensions. The first `rank` results are the
// operand index. Then follow, for each runtime variable in turn, the index of its element.
// Composing and simplifying treat all results alike.
//
//     compose(a: x -> y, b: y -> z) = { (x, z) : some y with (x, y) in a and (y, z) in b }
//
// A UnionMap is a finite union of relations from one array to another. It holds no relation twice
// and at most kMaxRelations of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "impl/map/map_builder.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The source of a runtime variable: the element of `position` whose index is `rank` results of the
// map. The value is clamped to the variable's feasible values.
struct RuntimeValue {
  HloPosition position;
  int32_t rank = 0;
  Interval feasible;

  bool operator==(const RuntimeValue&) const = default;
};

struct AccessRelation {
  IndexingMap map;
  int32_t rank = 0;                   // of the operand: the number of results that are its index
  std::vector<RuntimeValue> runtime;  // by runtime variable of the map
  bool inexact = false;               // a superset of the dependences, for this reason:
  std::string reason;

  // What is known about the set of pairs. False means unknown.
  bool identity = false;     // each index to itself
  bool universe = false;     // each index to all indices; then `onto` holds, too
  bool onto = false;         // each operand index has an output index; no runtime variables
  uint64_t fingerprint = 0;  // equal relations have equal fingerprints

  // For one operation: its map before simplification, if it was simplified. The inverse is easier
  // to find if all quotients divide the same number (impl/hlo/inverse.h).
  std::shared_ptr<const IndexingMap> written;
  // For a dense reshape or bitcast: the inverse, which is dense too.
  std::shared_ptr<const IndexingMap> backwards;
};
using AccessRelationPtr = std::shared_ptr<const AccessRelation>;

// A relation beyond these limits becomes a superset that is smaller to write. First its last
// runtime variables become range variables with all feasible values, then it becomes the universe.
inline constexpr size_t kMaxRuntime = 12;
inline constexpr size_t kMaxRanges = 20;
inline constexpr size_t kMaxConstraints = 20;
inline constexpr size_t kMaxNodes = 600;

// A UnionMap of more relations becomes the universe.
inline constexpr size_t kMaxRelations = 48;

// Sets the marks and the fingerprint of a relation between arrays of these sizes.
AccessRelationPtr finish(AccessRelation relation, const Dims& output, const Dims& operand);

// The same after simplifying the map, merging equal runtime variables, and dropping variables
// without effect. Null if no pair is left.
AccessRelationPtr simplified(AccessRelation relation, const Dims& output, const Dims& operand);

AccessRelationPtr identity_relation(const Dims& output);
AccessRelationPtr universe_relation(const Dims& output, const Dims& operand);

// x -> y -> z, with the sizes of all three arrays. Null if no pair is left.
AccessRelationPtr compose(const AccessRelationPtr& first, const AccessRelationPtr& second,
                          const Dims& x, const Dims& y, const Dims& z);

// The composed relation before simplification. `y`: the sizes of the array between the two. Every
// result of `first` is known to lie within them. Its range variables come before those of `second`.
AccessRelation joined(const AccessRelation& first, const AccessRelation& second, const Dims& y);

// Replaces the runtime variable by the expression `value`, a node of the map. (The caller may have
// added nodes for it.)
AccessRelation with_value(AccessRelation relation, int32_t variable, NodeId value);

// Whether the map is there for all indices of an array of these sizes.
bool is_box(const IndexingMap& map, const Dims& sizes);

// Appends nodes to a table. Returns by how much their positions grow.
NodeId append_nodes(ExprTable& to, const ExprTable& more);

struct UnionMap {
  std::vector<AccessRelationPtr> relations;
  // All pairs. The list is then empty, as the universe contains every relation.
  bool universe = false;
  std::shared_ptr<const std::string> reason;  // why the universe is inexact; null if it is exact

  bool empty() const { return relations.empty() && !universe; }
};

// Adds the universe. With a reason, it is inexact.
void add_universe(UnionMap& union_map, std::shared_ptr<const std::string> reason);

// The relations of the union.
std::vector<AccessRelationPtr> relations_of(const UnionMap& union_map, const Dims& output,
                                            const Dims& operand);

// Whether compose(first, second) is the universe because `second` is. Quicker than composing. `x`:
// the sizes of the output.
bool composes_to_universe(const AccessRelation& first, const AccessRelation& second, const Dims& x);

// The universe, as a superset for this reason.
AccessRelationPtr universe_because(const std::string& reason, const Dims& output,
                                   const Dims& operand);

// Adds to the union. Of equal relations the first stays, unless only the other is exact. If there
// are too many, the union becomes the inexact universe.
void add(UnionMap& union_map, const AccessRelationPtr& relation, const Dims& output,
         const Dims& operand);

}  // namespace tileproof::impl

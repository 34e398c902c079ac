// Relations between the elements of two arrays of a program: the parts that indexing is made of.
//
// A AccessRelation is an indexing map, output index to operand index, that also knows where its runtime
// variables come from. Each of these is the clamped value of one element of an array of integers,
// and which element that is, is itself a function of the output index (and of range variables):
//
//     f32[4,8] gather(f32[9,8] table, s32[4] rows)
//     map      (d0, d1){rt0} -> (rt0, d1; d0), domain: .., rt0 in [0, 8]
//     values   rt0: element (d0) of rows
//
// So the map has more results than the operand has dimensions: after these (`rank` of them) come,
// for each runtime variable in turn, the index of the element that it is. Composing and
// simplifying treat them all alike.
//
//     compose(a: x -> y, b: y -> z) = { (x, z) : some y with (x, y) in a and (y, z) in b }
//
// A UnionMap is a finite union of relations from one array to one other. It holds no relation twice, and
// it never holds many: see kMaxRelations.
//
// Source: INTERFACE, section 2 "HLO".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/map/map_builder.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// An array in a program: an instruction of the computation that is looked at, or of one that it
// enters by these calls, outermost first; and which leaf of its result.
struct HloPosition {
  std::vector<int32_t> calls;
  int32_t instruction = -1;
  int32_t leaf = 0;

  bool operator==(const HloPosition&) const = default;
  auto operator<=>(const HloPosition&) const = default;
};

// Where a runtime variable has its value from: the element of `position` whose index the map tells in
// `rank` results. The value is clamped to the variable's feasible values.
struct RuntimeValue {
  HloPosition position;
  int32_t rank = 0;
  Interval feasible;

  bool operator==(const RuntimeValue&) const = default;
};

struct AccessRelation {
  IndexingMap map;
  int32_t rank = 0;                   // of the operand: how many results are its index
  std::vector<RuntimeValue> runtime;  // of the map's runtime variables in turn
  bool inexact = false;               // a superset of what flows; then:
  std::string reason;                 // why

  // Assumption about the set of pairs; false means nothing.
  bool identity = false;  // every index to itself
  bool universe = false;  // every index to all indices, so `onto`, too
  bool onto = false;      // every operand index belongs to some output index; no runtime variables
  uint64_t fingerprint = 0;  // equal relations have equal ones

  // Of one operation: the map before it was simplified, if it was. The inverse is found more easily
  // where all quotients are of one number (impl/hlo/inverse.h).
  std::shared_ptr<const IndexingMap> written;
  // Of a dense reshape or bitcast: the inverse, which is one too.
  std::shared_ptr<const IndexingMap> backwards;
};
using AccessRelationPtr = std::shared_ptr<const AccessRelation>;

// Beyond these a relation becomes a superset that is smaller to write: first its last runtime
// variables become range variables (any feasible value), then it becomes everything.
inline constexpr size_t kMaxRuntime = 12;
inline constexpr size_t kMaxRanges = 20;
inline constexpr size_t kMaxConstraints = 20;
inline constexpr size_t kMaxNodes = 600;

// Beyond this many, a UnionMap keeps fewer and larger relations.
inline constexpr size_t kMaxRelations = 48;

// Finishes a relation whose map was written by hand: marks are set, the fingerprint computed. The
// arrays have these sizes.
AccessRelationPtr finish(AccessRelation relation, const Dims& output, const Dims& operand);

// The same after simplifying the map, making one of runtime variables that have one value, and
// dropping variables that say nothing. Nothing (nullptr) where no pair is left.
AccessRelationPtr simplified(AccessRelation relation, const Dims& output, const Dims& operand);

AccessRelationPtr identity_relation(const Dims& output);
AccessRelationPtr universe_relation(const Dims& output, const Dims& operand);

// x -> y -> z; sizes of all three. Nothing (nullptr) where no pair is left.
AccessRelationPtr compose(const AccessRelationPtr& first, const AccessRelationPtr& second,
                          const Dims& x, const Dims& y, const Dims& z);

// The runtime variable has the value of this expression in the map's nodes, and is gone. (The nodes
// may have been extended to hold it.)
AccessRelation with_value(AccessRelation relation, int32_t variable, NodeId value);

struct UnionMap {
  std::vector<AccessRelationPtr> relations;
  // All pairs. Then there are no relations, as it contains them.
  bool universe = false;
  std::shared_ptr<const std::string> reason;  // of everything, where it is inexact

  bool empty() const { return relations.empty() && !universe; }
};

// Adds everything; inexact where there is a reason.
void add_universe(UnionMap& union_map, std::shared_ptr<const std::string> reason);

// The relations of the union.
std::vector<AccessRelationPtr> relations_of(const UnionMap& union_map, const Dims& output,
                                            const Dims& operand);

// Whether compose(first, second) is everything as `second` is, which is seen without composing. x:
// sizes of the output.
bool composes_to_universe(const AccessRelation& first, const AccessRelation& second, const Dims& x);

// Everything, as a superset for this reason.
AccessRelationPtr universe_because(const std::string& reason, const Dims& output,
                                   const Dims& operand);

// Adds to the union. Of equal relations the first stays, unless only the other is exact. Where
// there are too many, the union becomes a superset, marked as inexact.
void add(UnionMap& union_map, const AccessRelationPtr& relation, const Dims& output,
         const Dims& operand);

}  // namespace tileproof::impl

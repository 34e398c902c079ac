// SPDX-License-Identifier: Apache-2.0
// Known arrays: arrays of integers and predicates whose elements follow from iotas and constants.
//
// A known array is a union of pieces. A piece is a map from an index to the value there:
//
//     i = s32[4] iota()                    (d0) -> (d0)
//     a = s32[4] add(i, 7)                 (d0) -> (d0 + 7)
//     c = s32[4] constant({7, 7, 8, 9})    (d0) -> (7), domain: d0 in [0, 1]
//                                          (d0) -> (d0 + 6), domain: d0 in [2, 3]
//     p = pred[4] compare(a, 9), LT        (d0) -> (1), domain: d0 in [0, 1]
//                                          (d0) -> (0), domain: d0 in [2, 3]
//
// Copies (broadcast, slice, reshape, ..) are compositions, arithmetic is a sum of values, a
// comparison is a constraint. A call or fusion is entered, and a parameter is what the caller gives
// it. A leaf that the body of a loop hands on is what it is before the loop.
//
// A piece without a value may have any value. Pieces may overlap: then an element may have each of
// these values.
//
//     s = s32[4] select(q, 1, 2), q a parameter       (d0) -> (1) and (d0) -> (2)
//
// A piece that is cut has a value that is not followed: numbers that wrap around, shifts, slices at
// offsets, an element of a bitcast that was padding, or more than kMostPieces pieces. What depends on it is a superset. No
// limit has another effect.
//
// One array serves offsets (impl/hlo/offsets/resolve_offsets.cc), predicates of selects, and
// parameters of what calls run. Source: the manual, "Predicates that are known".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "impl/hlo/access_relation.h"
#include "impl/hlo/backward_slice.h"
#include "impl/hlo/operations/known_pieces.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Arithmetic is followed where no element of the whole array leaves the range of its type (the
// manual has the rules for each operation). Otherwise the array is cut.
struct KnownArray {
  KnownPieces pieces = {};
  std::optional<Interval> range = std::nullopt;  // of all elements; nothing: any value
  int64_t operations = 1;                        // on the way, one that is used twice counts twice
};

// For offsets: arithmetic and loops may give any value, and all values are clamped.
struct OffsetValues {
  Interval feasible;
};

// The known arrays of a computation, and of those that it calls.
class KnownArrays {
 public:
  explicit KnownArrays(OffsetRegion region, Caller caller = {})
      : region_(std::move(region)), caller_(caller) {}
  KnownArrays(OffsetRegion region, OffsetValues offsets)
      : region_(std::move(region)), offsets_(offsets) {}

  // The element to which `at` maps an index of an array of sizes `output`, which has elements. The
  // pieces have the dimensions of `at`.
  const KnownArray& of(HloPosition position, const AccessRelationPtr& at, const Dims& output);

  // The leaves of parameters that were met.
  const std::vector<OperandLeaf>& parameters() const { return parameters_; }

 private:
  struct Place;
  struct Known {
    AccessRelationPtr at;
    KnownArray array;
  };

  std::optional<HloPosition> same_as(const HloPosition& position);
  KnownArray found(const Place& place);
  KnownArray parameter(const Place& place);
  KnownArray iota(const Place& place);
  KnownArray constant(const Place& place);
  KnownArray moved(const Place& place);
  KnownArray computed(const Place& place);
  KnownArray not_followed(const Place& place);

  OffsetRegion region_;
  Caller caller_;
  std::optional<OffsetValues> offsets_;
  std::map<std::pair<HloPosition, const AccessRelation*>, Known> known_;
  std::map<const HloInstruction*, std::optional<std::vector<int64_t>>> constants_;
  std::vector<OperandLeaf> parameters_;
  int64_t depth_ = 0;
  int64_t operations_ = 0;
};

// Whether every element of an array of these sizes comes from somewhere: a bitcast may show what was
// padding.
bool is_total(const AccessRelation& move, const Dims& sizes);

// The dependences of a select inside of what is analyzed. `plain`: the same if its predicate is not
// known. Nothing if nothing is known about the predicate. The first operand flows where the
// predicate may be true, the second where it may be false.
std::optional<Dependences> with_known_predicate(ComputationDependences& within, int32_t select,
                                                const Dependences& plain);

// The leaves of a computation's parameters that predicates of selects depend on, in it and in what
// it calls. `summaries`: of what it calls.
std::vector<OperandLeaf> deciding_parameters(ComputationDependences& within,
                                             const Summaries& summaries);

// The same, as the summary of a computation has it.
std::vector<OperandLeaf> deciding_in(const Summary& summary);

// The computation that a call or fusion runs, or the body of a loop: its parameters may be known
// there. -1 for other instructions.
int32_t run_with_operands(const HloInstruction& at);

// Whether something is known of an operand of a call or loop that is one of these.
bool decides(ComputationDependences& within, int32_t call,
             const std::vector<OperandLeaf>& parameters);

}  // namespace tileproof::impl

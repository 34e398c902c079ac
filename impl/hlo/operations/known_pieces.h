// SPDX-License-Identifier: Apache-2.0
// The pieces of a known array (impl/hlo/operations/known_array.h), and what operations make of them.
//
//     (d0) -> (d0) and (d0) -> (2)      minimum     (d0) -> (d0), domain: d0 in [0, 1]
//                                                   (d0) -> (2), domain: d0 in [2, 3]
//                                       LT          (d0) -> (1), domain: d0 in [0, 1]
//                                                   (d0) -> (0), domain: d0 in [2, 3]
//
// An operation takes one piece of each operand, where the conditions of both hold. A piece without a
// value gives one without a value; a predicate without a value may be true and may be false, so
// `and` of false and anything is false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "impl/hlo/access_relation.h"
#include "spec/lang/hlo/hlo_opcode.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// A map without results. The element has the value where the map's conditions hold.
struct KnownPiece {
  IndexingMap map;
  std::optional<NodeId> value = std::nullopt;  // a node of the map; nothing: any value
  bool is_cut = false;                         // it has one, which is not followed
};
using KnownPieces = std::vector<KnownPiece>;

// More pieces are one, which is cut.
inline constexpr size_t kMostPieces = 32;

// Whether an element may have any value everywhere.
bool is_free(const KnownPieces& pieces);

// Where a predicate may be true, where it may be false, and where it is cut.
using Alternatives = std::vector<IndexingMap>;
struct KnownPredicate {
  Alternatives yes, no, cut;
};
KnownPredicate predicate_of(const KnownPieces& pieces);

class PieceAlgebra {
 public:
  // Of pieces with these sizes of dimensions, which must outlive the use.
  explicit PieceAlgebra(const Dims& output) : output_(output) {}

  // Adds a piece, unless the pieces say the same already.
  void add(KnownPieces& pieces, KnownPiece piece) const;

  // add, subtract, multiply by a constant; divide and remainder of numbers from 0 on by a positive
  // constant.
  KnownPieces arithmetic(HloOpcode opcode, const KnownPieces& a, const KnownPieces& b) const;
  KnownPieces negated(const KnownPieces& a) const;
  KnownPieces nearest(bool smaller, const KnownPieces& a, const KnownPieces& b) const;
  KnownPieces clamped(const KnownPieces& a, const Interval& interval) const;
  // LT, LE, GT, GE, EQ or NE.
  KnownPieces compared(const std::string& direction, const KnownPieces& a,
                       const KnownPieces& b) const;
  // and, or, xor of predicates.
  KnownPieces logical(HloOpcode opcode, const KnownPieces& a, const KnownPieces& b) const;
  KnownPieces inverted(const KnownPieces& a) const;
  KnownPieces selected(const KnownPieces& predicate, const KnownPieces& a,
                       const KnownPieces& b) const;

  // A constant's elements, row-major, of an array of these sizes, at the index `at`.
  KnownPieces listed(const std::vector<int64_t>& elements, const Dims& sizes,
                     const IndexingMap& at) const;

  KnownPieces number(int64_t value) const;

 private:
  bool is_always(const IndexingMap& map) const;
  void add_where(KnownPieces& pieces, IndexingMap map, NodeId expression, Interval interval,
                 std::optional<NodeId> value) const;
  Alternatives both(const Alternatives& a, const Alternatives& b) const;
  Alternatives either(Alternatives a, const Alternatives& b) const;
  KnownPieces pieces_of(const KnownPredicate& predicate) const;

  const Dims& output_;
};

}  // namespace tileproof::impl

// Indexing maps, as values: which elements of one array are read for an element of another.
//
//     (d0, d1)[s0]{rt0} -> (d0 + rt0, s0),
//         domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 7], rt0 in [0, 2], d0 mod 2 in [0, 0]
//
// A map has dimension variables (the index of the element asked about), range variables (all
// values: one element may read many) and runtime variables (unknown until the program runs), each
// with closed bounds; results, one per dimension of the other array; and constraints, each an
// expression that must lie in an interval. The domain is the set of all variable values within all
// bounds and all constraints. Bounds with low > high are valid and empty.
//
// Source: facts "XLA indexing maps", section 1; INTERFACE, sections 1 and 2.
// Text: spec/lang/map/map_text.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/lang/map/expr.h"

namespace tileproof {

struct Interval {
  int64_t low = 0;
  int64_t high = 0;  // included

  bool operator==(const Interval&) const = default;
};

struct Variable {
  Interval bounds;
  std::string name;  // empty: the default name d<i>, s<i>, rt<i>

  bool operator==(const Variable&) const = default;
};

struct Constraint {
  NodeId expr = -1;
  Interval interval;
};

struct IndexingMap {
  std::vector<Variable> dimensions;
  std::vector<Variable> ranges;
  std::vector<Variable> runtime;
  ExprTable nodes;  // of all results and constraints
  std::vector<NodeId> results;
  std::vector<Constraint> constraints;
  bool known_empty = false;  // printed as KNOWN EMPTY; the domain is empty

  // Same variables (bounds and names), results and constraints, tree for tree in order; the tables
  // may differ.
  friend bool operator==(const IndexingMap& a, const IndexingMap& b);
};

// The variables of one kind: kDimension, kRange or kRuntime.
const std::vector<Variable>& variables_of(const IndexingMap& map, Op kind);
std::vector<Variable>& variables_of(IndexingMap& map, Op kind);

// d<number>, s<number> or rt<number>.
std::string default_name(Op kind, int64_t number);

// The name that a variable is printed with: its own, or the default.
std::string name_of(const IndexingMap& map, Op kind, int64_t number);

}  // namespace tileproof

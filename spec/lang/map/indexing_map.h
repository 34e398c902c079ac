// SPDX-License-Identifier: Apache-2.0
// Indexing maps, as values: which elements of one array an element of another array reads.
//
//     (d0, d1)[s0]{rt0} -> (d0 + rt0, s0),
//         domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 7], rt0 in [0, 2], d0 mod 2 in [0, 0]
//
// A map has three kinds of variables, each with closed bounds. The dimension variables are the
// index of the reading element. The range variables take all of their values, because one element
// may read many. The runtime variables are unknown until the program runs. The map has one result
// for each dimension of the other array. A constraint is an expression that must lie in an
// interval. The domain is the set of variable values that satisfy all bounds and all constraints.
// Bounds with low > high are valid; the domain is then empty.
//
// spec/lang/map/map_text.h defines the text. Source: XLA, "Indexing analysis"
// (docs/sources.md).
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

  // Compares bounds and names of variables, and the trees of results and constraints in order. The
  // tables may differ.
  friend bool operator==(const IndexingMap& a, const IndexingMap& b);
};

// The kinds of variables, in the order in which maps list them.
inline constexpr Op kVariableKinds[] = {Op::kDimension, Op::kRange, Op::kRuntime};

// Return the variables of one kind: kDimension, kRange or kRuntime.
const std::vector<Variable>& variables_of(const IndexingMap& map, Op kind);
std::vector<Variable>& variables_of(IndexingMap& map, Op kind);

// Returns the expressions of all results, then of all constraints.
std::vector<NodeId> roots_of(const IndexingMap& map);

// Returns d<number>, s<number> or rt<number>.
std::string default_name(Op kind, int64_t number);

// Returns the name with which a variable is printed: its own, or the default.
std::string name_of(const IndexingMap& map, Op kind, int64_t number);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Finding, removing and replacing variables.
//
// A range variable is existential: a map represents the set of pairs (dimensions and runtime
// values, results) that some range values give. Each function below keeps that set. Dropping a
// dimension or a runtime variable projects it out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The variables in an expression, as numbers: first the dimensions, then the range variables, then
// the runtime variables.
std::vector<int32_t> variables_under(const IndexingMap& map, NodeId root);

// The kinds of variables that may be removed.
struct Removable {
  bool dimensions = false;
  bool ranges = true;
  bool runtime = false;
};

struct Removed {
  IndexingMap map;
  std::vector<bool> gone;  // of the original variables: dimensions, ranges, runtime
};

// Whether a removable variable is in no result.
bool has_unused_variable(const IndexingMap& map, Removable removable = {});

// Drops the removable variables that no result uses, if their constraints involve no other
// variables and hold at the first or the last point of their bounds. Works best after simplify,
// which moves bounds to points that satisfy a congruence.
//
//     (d0)[s0, s1] -> (d0 + s1), domain: .., s0 in [1, 67], s1 in [0, 9], s0 mod 3 in [1, 1]
//     (d0)[s0] -> (d0 + s0), domain: .., s0 in [0, 9]
absl::StatusOr<Removed> remove_unused_variables(const IndexingMap& map, Removable removable = {});

// Makes the range variables the last dimensions.
absl::StatusOr<IndexingMap> ranges_to_dimensions(const IndexingMap& map);

// Distinct names for the variables of a map, as its text requires.
//
// A variable without a given name is called d<i>, s<i> or rt<i>. When variables move, such a name
// can equal a given one, for example in (d1, d0) after the second is dropped and another added.

// Whether a variable has a given name. (Default names are distinct.)
inline bool has_names(const IndexingMap& map) {
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      if (!variable.name.empty()) return true;
    }
  }
  return false;
}

// Whether no two variables have one name.
inline bool names_are_distinct(const IndexingMap& map) {
  if (!has_names(map)) return true;
  absl::flat_hash_set<std::string> names;
  for (Op kind : kVariableKinds) {
    for (size_t i = 0; i < variables_of(map, kind).size(); ++i) {
      if (!names.insert(name_of(map, kind, static_cast<int64_t>(i))).second) return false;
    }
  }
  return true;
}

// All variables get their default names.
inline void clear_names(IndexingMap& map) {
  for (std::vector<Variable>* variables : {&map.dimensions, &map.ranges, &map.runtime}) {
    for (Variable& variable : *variables) variable.name.clear();
  }
}

}  // namespace tileproof::impl

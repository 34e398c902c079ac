// SPDX-License-Identifier: Apache-2.0
// Distinct names for the variables of a map, as its text requires.
//
// A variable without a given name is called d<i>, s<i> or rt<i>. When variables move, such a name
// can equal a given one, for example in (d1, d0) after the second is dropped and another added.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

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

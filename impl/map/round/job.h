// SPDX-License-Identifier: Apache-2.0
// One round of the simplifier: writes constraints and results of a map anew, and decides whether
// another round would change them.
#pragma once

#include <vector>

#include "impl/map/domain/domain.h"
#include "impl/map/extraction/render_expr.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/normalize.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

inline Interval interval_of(const Range& range) {
  return {static_cast<int64_t>(range.low), static_cast<int64_t>(range.high)};
}

// The state of the simplification of one map. It keeps its memory for the next one.
struct Job {
  NormalFormContext context;
  IndexingMap map;  // the map to simplify, every expression once
  IndexingMap out;  // the result
  Normalizer normalizer{context, map}, of_out{context, out};
  LocalRules rules, rules_of_out;
  Net net{rules, of_out};
  std::vector<int64_t> sizes;  // of the trees of the map
  Domain domain;
  std::vector<Linear> result_forms;
  bool at_fixpoint = true;   // a second simplification would change nothing
  bool ended_early = false;  // a search did, so another round may change this one's result for ever
};

// Takes note of how the last search ended.
inline void note_search(Job& job) {
  job.at_fixpoint &= search_was_short(job.context);
  job.ended_early |= search_ended_early(job.context);
}

// Forgets all normal forms, but not what was written.
void start_again(Job& job);

// Writes the constraints in the order of their renderings, then those that stay as written, in
// their own order. If extraction gives up for one of them, all stay as written.
void write_constraints(Job& job);

// Decides whether the job is at its fixpoint, as far as constraints are concerned. It is not if a
// rewritten constraint has another normal form: a second run may then imply more. (If several
// originals became one text, it is enough to compare with the first of them, as the others are
// redundant.) If this check, or writing the constraints, gave up, their normal forms are lost, and
// the simplifier continues without constraints.
void check_constraints(Job& job);

void write_results(Job& job);

// A normal form is nearly, but not always, the only one for its values. So the extracted expression
// may have another normal form, with another rendering. A sum of variables has only one.
void check_results(Job& job);

// Returns whether the local rules make the written expression of this form shorter.
bool becomes_shorter(Job& job, NodeId root, const Linear& form);

}  // namespace tileproof::impl

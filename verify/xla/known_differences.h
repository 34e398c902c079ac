// Where XLA's answer is another than the reference's, for a known reason.
//
// This is the one table; docs/findings.md tells the reasons and has HLO that shows each.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "verify/xla/question.h"

namespace tileproof::xla {

// Differences in what must flow, listed by name:
// * init-is-identity: a reduce or reduce-window that has at most one element of each input to
//   combine does not apply its function: its result is that element, or its own init where there is
//   none;
// * scatter-without-indices: XLA takes a scatter whose index vectors are empty for an elementwise
//   operation, or applies one update of many.
//
// What the way of changes cannot show, which is no difference:
// * hidden: an offset that is clamped to one value; what a function does not look at, or another
//   value hides (map, reduce, reduce-window, scatter, which are asked in bits too); what a
//   choice among one element rests on (a window of select-and-scatter, a line of sort or topk); and
//   among predicates, where `a > b` lets the first of three never decide about the second.
//
// The name for source `number` missing at element `element` of array `leaf` of the result, where
// the reference has `wanted`; empty: it must be there.
absl::string_view explanation(const Question& question, bool changes, int64_t leaf, int64_t element,
                              const std::vector<int64_t>& wanted, int64_t number);

// Whether the root is a scatter whose index vectors are empty.
bool scatters_without_indices(const Question& question);

}  // namespace tileproof::xla

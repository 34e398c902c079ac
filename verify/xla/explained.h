// Where XLA's answer lacks a source that the reference has, for a known reason.
//
// This is the one table; docs/findings.md tells the reasons and has HLO that shows each. Nothing
// explains a source that XLA has and the reference has not.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "verify/xla/question.h"

namespace tileproof::xla {

// Differences that count as differences, and are listed by name:
// * init-is-identity: a reduce or reduce-window that has at most one element of each input to
//   combine does not apply its function: its result is that element, or its own init where there is
//   none;
// * scatter-without-indices: a scatter whose index vectors are empty adds one update instead of
// all.
//
// What the way of changes cannot show, which is no difference:
// * hidden: an offset that is clamped to one value; what a function does not look at, or another
//   value hides (map, reduce, reduce-window, scatter, which are asked in bits too); and what a
//   choice among one element rests on (a window of select-and-scatter, a line of sort or topk).
//
// The name for source `number` missing at element `element` of array `leaf` of the result, where
// the reference has `wanted`; empty: it must be there.
absl::string_view explanation(const Question& question, bool changes, int64_t leaf, int64_t element,
                              const std::vector<int64_t>& wanted, int64_t number);

}  // namespace tileproof::xla

// SPDX-License-Identifier: Apache-2.0
// What the judge of an answer of XLA says.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verify/xla/question.h"

namespace tileproof::xla {

struct Verdict {
  enum class Kind { kBothAccept, kBothRefuse, kKnown, kDifferent, kUnanswered };
  Kind kind = Kind::kDifferent;
  std::string name = {};               // kKnown: the entry of the table of differences
  std::string difference = {};         // kDifferent: some lines
  std::set<std::string> opcodes = {};  // of a module: of all instructions
  std::string stage = {};              // .. that decided: "parser", "inference" or "verifier"
};

// Judges each line of standard input that has a text, and prints differences and counts. Returns the
// exit status: 0 no unknown difference; 1 some; 2 an unreadable line, or no lines.
int judge_lines(absl::StatusOr<Verdict> (*judge)(absl::string_view line));

// Judges the answers of XLA's parser and printer about texts of shapes. An answer is a line of JSON, as
// ask_shapes.py prints it and as corpus/xla keeps it: {"text": ..} with one of "is" (what XLA prints),
// "error" (XLA refuses the text) and "ends" (XLA ends the process). Errors: the line is not an answer.
absl::StatusOr<Verdict> judge_shape(absl::string_view line);

// The known differences between XLA's answers and the reference's.
//
// This table is complete; docs/findings.md gives the reasons, with HLO that shows each.

// Differences in dependences, by name:
// * init-is-identity: a reduce or reduce-window with at most one element of each input to combine
//   does not apply its function. Its result is that element, or its init if there is none;
// * scatter-without-indices: XLA treats a scatter with empty index vectors as an elementwise
//   operation, or applies one update of many.
//
// What the encoding of changes cannot show, although the dependence exists:
// * hidden: an offset that is clamped to one value; an operand that a function ignores or that
//   another value hides (map, reduce, reduce-window, scatter, which are asked in bits too); what a
//   choice among one element depends on (a window of select-and-scatter, a line of sort or topk);
//   and among predicates: with `a > b` the first of three never decides about the second.
//
// Returns the name that explains why source `number` is missing at element `element` of array
// `leaf` of the result, where the reference has `wanted`. Returns "" if it must not be missing.
absl::string_view explanation(const Question& question, bool changes, int64_t leaf, int64_t element,
                              const std::vector<int64_t>& wanted, int64_t number);

// Returns whether the root is a scatter with empty index vectors.
bool scatters_without_indices(const Question& question);

}  // namespace tileproof::xla

// SPDX-License-Identifier: Apache-2.0
// What the judge of an answer of XLA says.
#pragma once

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

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

}  // namespace tileproof::xla

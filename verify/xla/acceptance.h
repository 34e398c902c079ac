// SPDX-License-Identifier: Apache-2.0
// Does checked_op accept the modules that XLA accepts, and no others?
//
// checked_op decides once, for the reference and the closed form alike, which instructions are
// valid and which shape their results have. So another judge is needed: XLA. ask_acceptance.py asks
// the stages of XLA that its Python package offers:
//
//     parser      reads the text. It checks numbers of operands and attributes. A few constructors
//                 of instructions check shapes, some by ending the process.
//     inference   reads the text without the shape of the root, which XLA's shape inference finds.
//                 Not every operation has it.
//     verifier    converts the module to StableHLO or MHLO, verifies that, and builds HLO from it,
//                 which infers the shapes again.
//
// XLA accepts a module if each of these stages does that there is for the operation, and if the
// shape that it infers has the stated dimensions. If there is neither inference nor verifier, XLA
// does not answer: its parser alone accepts nearly everything.
//
// An answer is a line of JSON, as ask_acceptance.py prints it and corpus/xla keeps it.
#pragma once

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::xla {

struct JudgedAcceptance {
  enum class Kind { kBothAccept, kBothRefuse, kKnown, kDifferent, kUnanswered };
  Kind kind = Kind::kDifferent;
  std::set<std::string> opcodes;  // of all instructions
  std::string name;               // kKnown: the entry of the table of differences
  std::string stage;              // that decided: "parser", "inference" or "verifier"
  std::string difference;         // kDifferent: some lines
};

// Errors: the line is not an answer.
absl::StatusOr<JudgedAcceptance> judge_acceptance(absl::string_view line);

}  // namespace tileproof::xla

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

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/xla/verdict.h"

namespace tileproof::xla {

// Errors: the line is not an answer.
absl::StatusOr<Verdict> judge_acceptance(absl::string_view line);

// The differences between checked_op and XLA that have a reason.

// A module that one of the two accepts and the other refuses.
struct AcceptanceCase {
  const HloModule* module;  // nullptr if ours does not read the text
  absl::Status ours;
  std::string stage;    // of XLA, that decided
  std::string refusal;  // of XLA; empty if it accepts
};

struct AcceptanceDifference {
  absl::string_view name;
  absl::string_view reason;
  bool (*explains)(const AcceptanceCase& c);
};

absl::Span<const AcceptanceDifference> acceptance_differences();

// The name of the first entry that explains the case, or "".
absl::string_view acceptance_difference(const AcceptanceCase& c);

}  // namespace tileproof::xla

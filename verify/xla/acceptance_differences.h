// SPDX-License-Identifier: Apache-2.0
// The differences between checked_op and XLA that have a reason.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::xla {

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

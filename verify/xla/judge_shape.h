// SPDX-License-Identifier: Apache-2.0
// Judges the answers of XLA's parser and printer about texts of shapes.
//
// An answer is a line of JSON, as ask_shapes.py prints it and as corpus/xla keeps it: {"text": ..}
// with one of "is" (what XLA prints), "error" (XLA refuses the text) and "ends" (XLA ends the
// process).
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verify/xla/verdict.h"

namespace tileproof::xla {

// Errors: the line is not an answer.
absl::StatusOr<Verdict> judge_shape(absl::string_view line);

}  // namespace tileproof::xla

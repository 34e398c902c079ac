// SPDX-License-Identifier: Apache-2.0
// Judges the answers of XLA's parser and printer about texts of shapes.
//
// An answer is a line of JSON, as ask_shapes.py prints it and as corpus/xla keeps it: {"text": ..}
// with one of "is" (what XLA prints), "error" (XLA refuses the text) and "ends" (XLA ends the
// process).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::xla {

struct JudgedShape {
  enum class Kind { kSame, kBothRefuse, kKnown, kDifferent };
  Kind kind = Kind::kDifferent;
  std::string name;        // kKnown: the entry of spec/lang/layout/xla_differences.h
  std::string difference;  // kDifferent: one line
};

// Errors: the line is not an answer.
absl::StatusOr<JudgedShape> judge_shape(absl::string_view line);

}  // namespace tileproof::xla

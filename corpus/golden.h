// SPDX-License-Identifier: Apache-2.0
// Questions with their answers on record, as text:
//
//     # Sizes are not negative.
//
//     shape f32[-1]
//     => column 5: expected a dimension size of at least 0, found -1
//
// Empty lines separate entries. A comment is a question without an answer.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tileproof {

// Lines that end in newlines; the answer's lines lack their "=> ".
struct GoldenAnswer {
  std::string question;
  std::string answer;
};

inline bool is_comment(const GoldenAnswer& entry) { return entry.question.starts_with('#'); }

// Errors: a missing file, or a file without entries.
absl::StatusOr<std::vector<GoldenAnswer>> read_golden(const std::string& path);
std::string to_text(const std::vector<GoldenAnswer>& entries);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Prints inputs of targets as text that can be pasted.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// Returns the text of an input: the input itself, or what its choices generate.
std::string text_of(const Target& target, absl::string_view input);

// Returns the bash command that asks the program the target's question about the input:
//
//     tileproof prove 'f32[3]'
//     r='{"id":1,"op":"map.simplify",..}'; tileproof respond <<< "$r" | tileproof judge ..
std::string command_of(const Target& target, absl::string_view input);

// Returns a finding in the form of its corpus file: comments with `line`, which must be printable,
// and how to replay it, then the input. An input with unprintable characters does not fit a line of
// the corpus; it is escaped in a comment.
std::string regression_of(const Target& target, absl::string_view input, absl::string_view line,
                          absl::string_view replay);

}  // namespace tileproof::campaign

// Inputs of the targets as text that can be pasted.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// The input as the text it stands for: itself, but for choices, which make a module.
std::string text_of(const Target& target, absl::string_view input);

// The command that asks the program about it, for a shell: tileproof simplify $'(d0) -> (d0)'.
std::string command_of(const Target& target, absl::string_view input);

// A finding in the form of the corpus: comments with `line`, which is printable, and how to replay
// it, then the input. An input that no line of the corpus can hold (it has unprintable characters)
// is written escaped, in a comment.
std::string regression_of(const Target& target, absl::string_view input, absl::string_view line,
                          absl::string_view replay);

}  // namespace tileproof::campaign

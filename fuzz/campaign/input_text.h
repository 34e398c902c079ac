// Inputs of the targets as text that can be pasted.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// The input as the text it stands for: itself, or what the choices make.
std::string text_of(const Target& target, absl::string_view input);

// What asks the program the target's question about it, for bash:
//
//     tileproof prove 'f32[3]'
//     r='{"id":1,"op":"map.simplify",..}'; tileproof respond <<< "$r" | tileproof judge ..
//
// Of a target with several questions one or two are asked.
std::string command_of(const Target& target, absl::string_view input);

// A finding in the form of its file of the corpus: comments with `line`, which is printable, and
// how to replay it, then the input. An input that no line of the corpus can hold (it has
// unprintable characters) is written escaped, in a comment.
std::string regression_of(const Target& target, absl::string_view input, absl::string_view line,
                          absl::string_view replay);

}  // namespace tileproof::campaign

// SPDX-License-Identifier: Apache-2.0
// Finds the word that a mistyped word was probably meant to be.
//
//     nearest_word("transpse", {"copy", "transpose"}) == "transpose"
//     nearest_word("frobnicate", {"copy", "transpose"}) == nullopt
//     did_you_mean("f23", {"f16", "f32"}) == "; did you mean 'f32'?"
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof {

// The word with the fewest typing errors between it and `typed`: letters inserted, left out, replaced, or
// swapped with the next one. At most one error for each three letters, and at least one, is allowed. The
// first of several such words; nullopt if there is none, and for a text of more than 40 bytes.
std::optional<absl::string_view> nearest_word(absl::string_view typed,
                                              const std::vector<absl::string_view>& words);

// "; did you mean 'WORD'?", or "" if no word is near. The end of an error message.
std::string did_you_mean(absl::string_view typed, const std::vector<absl::string_view>& words);

}  // namespace tileproof

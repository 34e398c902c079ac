// SPDX-License-Identifier: Apache-2.0
// The texts of a request in the form that Tileproof prints: fewer texts say the same.
//
//     map   (d0) -> ((d0) + (1 * 2)), domain: d0 in [0, 3]    (d0) -> (d0 + 1 * 2), domain: ..
//     hlo   the instructions that the root needs, without shapes that are not needed
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof::conform {

// The forms of the text under a key of a request: none if it is not valid, one if Tileproof does not
// read this key. A module may have two: with the shapes of results as written, and as they follow
// from the operands.
std::vector<std::string> canonical_texts(absl::string_view key, const std::string& text);

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// The steps of shrinking: requests that are one change of the text away.
//
// A step drops parts of the text or makes a number smaller. What belongs together changes together:
//
//     f32[2,3]{1,0}, index [1,2]     without the item of dimension 0: f32[3]{0}, index [2]
//     (d0, d1) -> (d1), domain: ..   without the variable d0: (d0) -> (d0), domain: ..
//     f32[2,4] add(f32[2,4] ..       with a 1 in place of every 4
//     (a * 2) mod 4                  a * 2, a, 2 mod 4, 0 mod 4, ..
//
// The text alone says what belongs together: lists of the same length, equal numbers, equal names.
// So one table of steps serves all operations (conform/shrink/text_form.h).
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "conform/shrink/text_form.h"

namespace tileproof::conform {

// The steps from a request, of which `text` is the text. Most lead to no valid request.
std::vector<TextEdits> steps_from(absl::string_view text);

// The requests that a step leads to, in the text that Tileproof prints: none if a text that was
// valid no longer is; two if the shapes of a module's results can follow its operands.
std::vector<Json> after_step(const Json& request, absl::string_view text, const TextEdits& step);

// All of these requests.
std::vector<Json> simpler_requests(const Json& request);

}  // namespace tileproof::conform

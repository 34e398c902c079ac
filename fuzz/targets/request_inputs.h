// SPDX-License-Identifier: Apache-2.0
// Checks and mutates inputs of the protocol's fuzz target: an input is lines of requests. Each member of a
// request changes according to its kind (a shape, a map, a module, a layout, a tag, a list of
// numbers, ..), so most lines stay requests that have an answer.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "verify/compare/case_counts.h"

namespace tileproof {

inline constexpr size_t kMaxRequests = 8;  // mutations add no lines beyond this number

// Every line, valid or not, gets an answer of one line with its id, and the judge accepts the answers
// of the closed forms and of the reference. Returns "", or a finding. Counts the results as "read".
std::string answers_difference(absl::string_view text, verify::CaseCounts& tally);

// Returns one line: a request of any operation, made by the suites (conform/suites/suites.h).
std::string random_request(Choose& choose);

// Changes, doubles or drops a line, swaps two, or adds a new one. An invalid request becomes a
// valid one.
std::string mutated_requests(Choose& choose, absl::string_view text);

}  // namespace tileproof

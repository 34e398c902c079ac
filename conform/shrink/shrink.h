// SPDX-License-Identifier: Apache-2.0
// Shrinking: makes a failing request smaller while it still fails.
//
//     "shape":"bf16[4,8]{1,0:T(2,4)(2,1)}","index":[3,6]   fails
//     "shape":"f32[2]{0:T(2)(2,1)}","index":[1]            the smallest request that still fails
//
// The search tries, in this order,
//  1. fewer and smaller random choices, if the request is random (generate/choose/choose.h);
//  2. the steps of its text: a key less, a dimension less, a smaller number (text_steps.h);
//  3. smaller values for every two numbers of the request together;
//  4. another order of its parts, and a step after it.
// It takes a step if the request still fails and its text is smaller (smaller.h). The operation never changes.
#pragma once

#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {

// The effort of a search: all steps, or all but 3 and 4, which are quadratic in the length of the
// request.
enum class Effort { kAll, kNoPairs };

// Returns the smallest failing request found. `fails` returns whether a request fails like the
// case. If it returns no value, the search ends.
Json smallest(const Suite& suite, const Limits& limits, const Case& failing,
              absl::FunctionRef<std::optional<bool>(const Json&)> fails,
              Effort effort = Effort::kAll);

}  // namespace tileproof::conform

// Shrinking: the smallest request that still fails.
//
// First by the choices that made the request (generate/choose/choose.h): a shorter list of smaller choices
// makes a simpler request. Then by the suite's own steps, which know a shape or a map from inside,
// and last by every two numbers of the request at once.
// Every step that still fails is taken, as long as the request gets shorter, or stays as long and
// its numbers get smaller. The operation stays the same.
#pragma once

#include <optional>

#include "absl/functional/function_ref.h"
#include "conform/protocol/json.h"
#include "conform/suites/suites.h"

namespace tileproof::conform {

// `fails` asks the program whether a request fails as the case does; nothing means that it is to be
// asked no more, and the smallest so far is the answer.
Json smallest(const Suite& suite, const Limits& limits, const Case& failing,
              absl::FunctionRef<std::optional<bool>(const Json&)> fails);

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// The main loop of a program that answers the protocol with another library.
//
//     int main() { return run_peer("isl", 0, {"map.simplify", "map.evaluate"}, answer); }
//
// `answer` returns an error for requests that are invalid by the rules of the protocol, such as a
// malformed map. It returns kUnimplemented for requests that the library cannot express.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"

namespace tileproof::peers {

using conform::Json;
using Answer = absl::FunctionRef<absl::StatusOr<Json>(const conform::Request&)>;

// Answers requests from standard input. kUnimplemented becomes `unsupported`, and all other errors
// `error`. `bits`: the hello limits requests to integers of so many bits; 0: no limit.
int run_peer(const std::string& name, int bits, const std::vector<std::string>& ops, Answer answer);

// A status kUnimplemented with a reason, such as "a divisor below 1".
absl::Status unsupported(absl::string_view why);

}  // namespace tileproof::peers

// The frame of a program that answers the protocol with another library: it reads requests, and
// writes what `answer` says of each. What is invalid by the protocol's rules alone (a text that is
// no map) is an error; what the library cannot express, and what it does not check, unsupported.
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

// kUnimplemented becomes `unsupported`, other errors `error`. With `bits`, other than 0, nothing is
// asked whose integers do not fit them.
int run_peer(const std::string& name, int bits, const std::vector<std::string>& ops, Answer answer);

// "no divisor that is not positive" and so on.
absl::Status unsupported(absl::string_view why);

}  // namespace tileproof::peers

// SPDX-License-Identifier: Apache-2.0
// Answers lines of standard input, one line each.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace tileproof::cli {

// Answers every line received so far, and writes the answers to the descriptor before it waits for
// more. A line of more than 16 MiB is answered with an error. Returns the exit status.
int answer_lines(const std::string& command, int output,
                 absl::FunctionRef<std::string(absl::string_view)> answer);

}  // namespace tileproof::cli

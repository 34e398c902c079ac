// SPDX-License-Identifier: Apache-2.0
// Asks about every elementwise operation that the reference defines, once, in types that the
// operation supports. The generators produce only a few of them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verify/xla/question.h"

namespace tileproof::xla {

struct Elementwise {
  std::string opcode;
  Question question;
};

// These questions use changes, in the operations' own types (Question::as_it_is).
absl::StatusOr<std::vector<Elementwise>> elementwise_questions();

}  // namespace tileproof::xla

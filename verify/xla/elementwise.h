// Every elementwise operation that the reference defines, one question each, in the types that the
// operation is for: the generators make a few of them only.
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

// Each is asked by changes, in its own types (Question::as_it_is).
absl::StatusOr<std::vector<Elementwise>> elementwise_questions();

}  // namespace tileproof::xla

// SPDX-License-Identifier: Apache-2.0
// tileproof layout, for layouts of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/text.h"

namespace tileproof::cli {

struct ThreadQuestions {
  std::optional<std::string> index;  // which places hold it?
  std::array<std::optional<int64_t>, 4> place =
      {};                             // what do the places with these coordinates hold?
  std::optional<std::string> system;  // to write it in: ttg.linear, cute or map

  bool asks_place() const { return place[0] || place[1] || place[2] || place[3]; }
};

// Explains a layout, or answers the questions about it.
absl::StatusOr<Answer> explain_threads(const std::string& text, const ThreadQuestions& questions);

}  // namespace tileproof::cli

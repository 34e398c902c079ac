// SPDX-License-Identifier: Apache-2.0
// Reads the members of a question.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"

namespace tileproof::explorer {

// Errors name the key: it is missing, or its value has another type.
absl::StatusOr<std::string> text_in(const conform::Json& question, absl::string_view key);
absl::StatusOr<std::vector<int64_t>> integers_in(const conform::Json& question,
                                                 absl::string_view key);
absl::StatusOr<int32_t> number_in(const conform::Json& question, absl::string_view key);

// The text, or "" if the key is missing.
absl::StatusOr<std::string> text_or_none(const conform::Json& question, absl::string_view key);
bool flag_in(const conform::Json& question, absl::string_view key);

}  // namespace tileproof::explorer

// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "absl/strings/str_cat.h"
#include "explorer/answers/panels.h"

namespace tileproof::explorer {

using conform::Json;

namespace {

absl::Status expected(absl::string_view key, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", key, "\": expected ", what));
}

}  // namespace

absl::StatusOr<std::string> text_in(const Json& question, absl::string_view key) {
  const Json* value = find(question, key);
  const auto* text = value == nullptr ? nullptr : value->as<std::string>();
  if (text == nullptr) return expected(key, "a text");
  return *text;
}

absl::StatusOr<std::vector<int64_t>> integers_in(const Json& question, absl::string_view key) {
  const Json* value = find(question, key);
  std::optional<std::vector<int64_t>> numbers;
  if (value != nullptr) numbers = conform::integers(*value);
  if (!numbers) return expected(key, "an array of integers");
  return *numbers;
}

absl::StatusOr<int32_t> number_in(const Json& question, absl::string_view key) {
  const Json* value = find(question, key);
  const auto* number = value == nullptr ? nullptr : value->as<int64_t>();
  if (number == nullptr || *number < 0 || *number > INT32_MAX) {
    return expected(key, "a number from 0");
  }
  return static_cast<int32_t>(*number);
}

absl::StatusOr<std::string> text_or_none(const Json& question, absl::string_view key) {
  return find(question, key) == nullptr ? std::string() : text_in(question, key);
}

bool flag_in(const Json& question, absl::string_view key) {
  const Json* value = find(question, key);
  return value != nullptr && *value == Json(true);
}

}  // namespace tileproof::explorer

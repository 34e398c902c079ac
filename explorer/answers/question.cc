// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "conform/protocol/invalid.h"
#include "explorer/answers/panels.h"

namespace tileproof::explorer {

using conform::Json;

absl::string_view word_of(verify::Verdict verdict, absl::string_view proven,
                          absl::string_view refuted) {
  if (verdict == verify::Verdict::kUndecided) return "undecided";
  return verdict == verify::Verdict::kProven ? proven : refuted;
}

namespace {

absl::Status expected(absl::string_view key, absl::string_view what) {
  return conform::invalid("\"", key, "\": expected ", what);
}

}  // namespace

absl::StatusOr<std::string> text_in(const Json& question, absl::string_view key) {
  if (const auto* text = find_as<std::string>(question, key)) return *text;
  return expected(key, "a text");
}

absl::StatusOr<std::vector<std::string>> texts_in(const Json& question, absl::string_view key) {
  const auto* array = find_as<Json::Array>(question, key);
  if (array == nullptr) return expected(key, "an array of texts");
  std::vector<std::string> texts;
  for (const Json& item : *array) {
    const auto* text = item.as<std::string>();
    if (text == nullptr) return expected(key, "an array of texts");
    texts.push_back(*text);
  }
  return texts;
}

absl::StatusOr<std::vector<int64_t>> integers_in(const Json& question, absl::string_view key) {
  const std::optional<std::vector<int64_t>> numbers = find_integers(question, key);
  if (!numbers) return expected(key, "an array of integers");
  return *numbers;
}

absl::StatusOr<int32_t> number_in(const Json& question, absl::string_view key) {
  const auto* number = find_as<int64_t>(question, key);
  if (number == nullptr || *number < 0 || *number > INT32_MAX) {
    return expected(key, "a number from 0");
  }
  return static_cast<int32_t>(*number);
}

absl::StatusOr<std::string> text_or_none(const Json& question, absl::string_view key) {
  return find(question, key) == nullptr ? std::string() : text_in(question, key);
}

}  // namespace tileproof::explorer

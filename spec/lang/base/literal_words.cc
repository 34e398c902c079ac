// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/literal_words.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace tileproof {
namespace {

bool is_separator(char c) { return absl::ascii_isspace(c) || c == '{' || c == '}' || c == ','; }

bool begins_comment(absl::string_view text) { return absl::StartsWith(text, "/*"); }

// Takes a decimal integer of any length.
std::optional<absl::int128> take_number(absl::string_view& text) {
  constexpr absl::int128 kLargest = absl::int128(1) << 64;
  const bool negative = absl::ConsumePrefix(&text, "-");
  if (text.empty() || !absl::ascii_isdigit(text[0])) return std::nullopt;
  absl::int128 value = 0;
  for (; !text.empty() && absl::ascii_isdigit(text[0]); text.remove_prefix(1)) {
    value = std::min(value * 10 + (text[0] - '0'), kLargest);
  }
  return negative ? -value : value;
}

std::optional<absl::int128> take_value(absl::string_view& text) {
  if (absl::ConsumePrefix(&text, "true")) return 1;
  if (absl::ConsumePrefix(&text, "false")) return 0;
  return take_number(text);
}

}  // namespace

std::optional<std::vector<absl::string_view>> words_of_literal(absl::string_view literal) {
  std::vector<absl::string_view> words;
  while (!literal.empty()) {
    size_t length = 0;
    while (length < literal.size() && !is_separator(literal[length]) &&
           !begins_comment(literal.substr(length))) {
      ++length;
    }
    if (length > 0) {
      words.push_back(literal.substr(0, length));
      literal.remove_prefix(length);
    } else if (begins_comment(literal)) {
      const size_t end = literal.find("*/", 2);
      if (end == absl::string_view::npos) return std::nullopt;
      literal.remove_prefix(end + 2);
    } else {
      literal.remove_prefix(1);
    }
  }
  return words;
}

std::optional<std::vector<absl::int128>> integers_of_literal(absl::string_view literal) {
  const auto words = words_of_literal(literal);
  if (!words) return std::nullopt;
  std::vector<absl::int128> values;
  for (absl::string_view word : *words) {
    const std::optional<absl::int128> value = take_value(word);
    if (!value || !word.empty()) return std::nullopt;  // "1.5", "1e6"
    values.push_back(*value);
  }
  return values;
}

}  // namespace tileproof

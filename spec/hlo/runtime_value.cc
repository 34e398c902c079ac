#include "spec/hlo/runtime_value.h"

#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace tileproof::spec {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Takes a decimal integer of any length.
std::optional<int64_t> take_number(absl::string_view& text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  int64_t value = 0;
  bool large = false;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    const int64_t digit = text[0] - '0';
    large = large || __builtin_mul_overflow(value, int64_t{10}, &value) ||
            __builtin_sub_overflow(value, digit, &value);  // downwards, where one more fits
    text.remove_prefix(1);
  }
  if (negative) return large ? std::numeric_limits<int64_t>::min() : value;
  large = large || value == std::numeric_limits<int64_t>::min();
  return large ? std::numeric_limits<int64_t>::max() : -value;
}

std::optional<int64_t> take_value(absl::string_view& text) {
  for (const bool value : {false, true}) {
    const absl::string_view word = value ? "true" : "false";
    if (!absl::StartsWith(text, word)) continue;
    text.remove_prefix(word.size());
    return value ? 1 : 0;
  }
  return take_number(text);
}

}  // namespace

std::optional<std::vector<int64_t>> integers_of_literal(const std::string& literal) {
  absl::string_view text = literal;
  std::vector<int64_t> values;
  while (!text.empty()) {
    if (absl::StartsWith(text, "/*")) {
      const size_t end = text.find("*/", 2);
      if (end == absl::string_view::npos) return std::nullopt;
      text.remove_prefix(end + 2);
    } else if (is_space(text[0]) || text[0] == '{' || text[0] == '}' || text[0] == ',') {
      text.remove_prefix(1);
    } else {
      const std::optional<int64_t> value = take_value(text);
      if (!value) return std::nullopt;
      // "1.5" and "1e6" are no integers.
      const absl::string_view ends = ",}/ \t\n\r";
      if (!text.empty() && ends.find(text[0]) == absl::string_view::npos) return std::nullopt;
      values.push_back(*value);
    }
  }
  return values;
}

}  // namespace tileproof::spec

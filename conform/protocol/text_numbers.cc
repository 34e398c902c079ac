// SPDX-License-Identifier: Apache-2.0
#include "conform/protocol/text_numbers.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tileproof::conform {

std::vector<TextNumber> numbers_in(absl::string_view text) {
  const auto is_digit = [&](size_t at) {
    return at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[at]));
  };
  std::vector<TextNumber> numbers;
  for (size_t at = 0; at < text.size();) {
    if (!is_digit(at)) {
      ++at;
      continue;
    }
    const size_t from = at;
    while (is_digit(at)) ++at;
    const char before = from > 0 ? text[from - 1] : ' ';
    const bool of_window = before == 'x' && from > 1 && is_digit(from - 2);  // the 3 of `2x3`
    const bool of_name = absl::ascii_isalpha(static_cast<unsigned char>(before)) || before == '.' ||
                         before == '%' || before == '#';
    if (!of_name || of_window) numbers.push_back({from, at - from});
  }
  return numbers;
}

bool read_number(absl::string_view text, TextNumber number, int64_t& value) {
  return absl::SimpleAtoi(text.substr(number.from, number.length), &value);
}

std::string with_numbers(absl::string_view text,
                         std::vector<std::pair<TextNumber, int64_t>> replacements) {
  std::sort(replacements.begin(), replacements.end(),
            [](const auto& a, const auto& b) { return a.first.from > b.first.from; });
  std::string result(text);
  for (const auto& [position, value] : replacements) {
    result.replace(position.from, position.length, absl::StrCat(value));
  }
  return result;
}

}  // namespace tileproof::conform

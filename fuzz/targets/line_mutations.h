// SPDX-License-Identifier: Apache-2.0
// Mutations of texts of many lines: lines that move, go or come twice, and numbers that change.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"

namespace tileproof {

inline std::string another_number(Choose& choose, absl::string_view digits) {
  int64_t value = 0;
  const bool small = absl::SimpleAtoi(digits, &value) && value < 1'000'000'000;
  if (!small || choose.chance(1, 4))
    return absl::StrCat(choose.pick<int64_t>({0, 1, 2, -1, INT64_MAX, int64_t{1} << 62}));
  return absl::StrCat(choose.pick<int64_t>({value + 1, value - 1, value * 2, choose(100)}));
}

// Replaces a number of the text, at one place or everywhere.
inline std::string with_other_number(Choose& choose, std::string text) {
  const auto digits_at = [&text](size_t place) {
    const absl::string_view rest = absl::string_view(text).substr(place);
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
  };
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = absl::ascii_isdigit(text[i]);
    if (digit && (i == 0 || !absl::ascii_isalnum(text[i - 1]))) starts.push_back(i);
  }
  if (starts.empty()) return text;
  const size_t place = choose.pick(starts);
  const std::string old = digits_at(place), other = another_number(choose, old);
  if (choose.chance(1, 2)) return text.replace(place, old.size(), other);
  for (auto at = starts.rbegin(); at != starts.rend(); ++at)
    if (digits_at(*at) == old) text.replace(*at, old.size(), other);
  return text;
}

// A line goes, comes twice, or moves.
inline std::string with_moved_line(Choose& choose, absl::string_view text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const auto from = static_cast<size_t>(choose(std::ssize(lines)));
  const std::string line = lines[from];
  if (choose.chance(2, 3)) lines.erase(lines.begin() + static_cast<int64_t>(from));
  if (choose.chance(2, 3)) {
    lines.insert(lines.begin() + choose(std::ssize(lines) + 1), line);
  }
  return absl::StrJoin(lines, "\n");
}

inline std::string mutated_lines(Choose& choose, absl::string_view text) {
  return choose.chance(1, 2) ? with_other_number(choose, std::string(text))
                             : with_moved_line(choose, text);
}

inline std::string crossed_lines(Choose& choose, absl::string_view left, absl::string_view right) {
  std::vector<std::string> lines = absl::StrSplit(left, '\n');
  const std::vector<std::string> others = absl::StrSplit(right, '\n');
  const int64_t at = choose(std::ssize(lines) + 1), begin = choose(std::ssize(others));
  const int64_t count = 1 + choose(std::ssize(others) - begin);
  lines.insert(lines.begin() + at, others.begin() + begin, others.begin() + begin + count);
  return absl::StrJoin(lines, "\n");
}

}  // namespace tileproof

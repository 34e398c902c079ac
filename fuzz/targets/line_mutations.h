// SPDX-License-Identifier: Apache-2.0
// Mutations of texts of many lines: lines that move, go or come twice, and numbers that change.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "generate/choose/choose.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {

// Another number in place of one of the text.
inline std::string with_other_number(Choose& choose, std::string text) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = absl::ascii_isdigit(text[i]);
    if (digit && (i == 0 || !absl::ascii_isalnum(text[i - 1]))) starts.push_back(i);
  }
  if (starts.empty()) return text;
  const size_t start = starts[static_cast<size_t>(choose(std::ssize(starts)))];
  size_t end = start;
  while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
  const int64_t number = choose.pick<int64_t>({0, 1, 2, 3, 5, 8, -1, INT64_MAX, choose(100)});
  return text.replace(start, end - start, absl::StrCat(number));
}

inline std::string mutated_lines(Choose& choose, absl::string_view text) {
  if (choose.chance(1, 2)) return with_other_number(choose, std::string(text));
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const auto from = static_cast<size_t>(choose(std::ssize(lines)));
  const std::string line = lines[from];
  if (choose.chance(2, 3)) lines.erase(lines.begin() + static_cast<int64_t>(from));
  if (choose.chance(2, 3)) {
    lines.insert(lines.begin() + choose(std::ssize(lines) + 1), line);
  }
  return absl::StrJoin(lines, "\n");
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

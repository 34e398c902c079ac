// SPDX-License-Identifier: Apache-2.0
// Mutations of texts: lines that move, go or come twice, numbers that change, two texts joined.
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

inline std::string another_number(Choose& choose, absl::string_view number) {
  int64_t value = 0;
  const bool small = absl::SimpleAtoi(number, &value) && value < 1'000'000'000;
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

// The left text up to a delimiter, and the right one from such a delimiter on: a shape with another
// layout, a map with another domain. About half of such shapes can be read, and a fifth of such maps.
// Texts without a delimiter are joined anywhere.
inline std::string spliced(Choose& choose, absl::string_view left, absl::string_view right) {
  std::vector<size_t> ours, theirs;
  for (size_t i = 0; i < left.size(); ++i) {
    if (absl::StrContains("\n,:(){}[]", left[i])) ours.push_back(i);
  }
  if (ours.empty())
    return absl::StrCat(left.substr(0, static_cast<size_t>(choose(std::ssize(left) + 1))),
                        right.substr(static_cast<size_t>(choose(std::ssize(right) + 1))));
  const size_t at = choose.pick(ours);
  for (size_t i = 0; i < right.size(); ++i) {
    if (right[i] == left[at]) theirs.push_back(i);
  }
  return theirs.empty() ? std::string(left)
                        : absl::StrCat(left.substr(0, at), right.substr(choose.pick(theirs)));
}

// Of the choices of a generator (generate/choose/choose.h), one byte or more for each. After the last
// byte every choice is 0, the simplest. So random choices are appended, and replace parts.
inline std::string mutated_choices(Choose& choose, absl::string_view bytes) {
  const auto from = static_cast<size_t>(choose(std::ssize(bytes) + 1));
  std::string more;
  for (int64_t left = choose.between(1, 24); left > 0; --left)
    more.push_back(static_cast<char>(choose(256)));
  const size_t to = from + more.size();
  const bool ends = to >= bytes.size() || choose.chance(1, 4);
  return absl::StrCat(bytes.substr(0, from), more, ends ? "" : bytes.substr(to));
}

}  // namespace tileproof

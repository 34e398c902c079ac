// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the trace checker. It either rejects a text in one line that names a line of the
// text, or accepts it as a simplification. Then the first map and the last one must be equal by the
// reference at their points. This would find a bug of the checker.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "fuzz/targets/map_inputs.h"
#include "impl/map/simplify.h"
#include "verify/compare/trace_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kWork = 200'000;

using Lines = std::vector<std::string>;

void check(absl::string_view text) {
  verify::CaseCounts tally;
  fail_if(verify::trace_difference(text, kWork, tally));
}

size_t place_in(Choose& choose, const Lines& lines) {
  return static_cast<size_t>(choose(std::ssize(lines)));
}

// Numbers the steps of each section from 1, after one was added or removed.
void number_steps(Lines& lines) {
  int64_t step = 0;
  for (std::string& line : lines) {
    const size_t digits = line.find_first_not_of("0123456789");
    if (absl::StartsWith(line, "map ")) step = 0;
    if (digits == 0 || digits == std::string::npos || line[digits] != ':') continue;
    line = absl::StrCat(++step, line.substr(digits));
  }
}

// Returns where a number begins at or after `place`, or else from the start of the text;
// text.size() if there is none.
size_t number_from(absl::string_view text, size_t place) {
  const auto begins = [text](size_t i) {
    return absl::ascii_isdigit(text[i]) && (i == 0 || !absl::ascii_isalnum(text[i - 1]));
  };
  for (size_t i = place; i < text.size(); ++i)
    if (begins(i)) return i;
  for (size_t i = 0; i < place; ++i)
    if (begins(i)) return i;
  return text.size();
}

absl::string_view digits_at(absl::string_view text, size_t place) {
  const size_t end = text.find_first_not_of("0123456789", place);
  return text.substr(place, end == absl::string_view::npos ? end : end - place);
}

std::string another_number(Choose& choose, absl::string_view digits) {
  int64_t value = 0;
  const bool small = absl::SimpleAtoi(digits, &value) && value < 1'000'000'000;
  if (!small || choose.chance(1, 8))
    return absl::StrCat(choose.pick<int64_t>({0, 1, 2, INT64_MAX, int64_t{1} << 62}));
  return absl::StrCat(choose.pick<int64_t>({value + 1, value > 0 ? value - 1 : 7, value * 2, 3}));
}

// Replaces a number, at one place or everywhere.
std::string with_another_number(Choose& choose, std::string text, bool everywhere) {
  const size_t at = number_from(text, static_cast<size_t>(choose(std::ssize(text) + 1)));
  if (at == text.size()) return text;
  const std::string old(digits_at(text, at)), other = another_number(choose, old);
  if (!everywhere) return text.replace(at, old.size(), other);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins =
        absl::ascii_isdigit(text[i]) && (i == 0 || !absl::ascii_isalnum(text[i - 1]));
    if (!begins || digits_at(text, i) != old) continue;
    text.replace(i, old.size(), other);
    i += other.size();
  }
  return text;
}

// Changes the map of a line "map M" or "becomes M".
void change_map(Choose& choose, std::string& line) {
  for (const absl::string_view word : {"map ", "becomes "}) {
    if (absl::StartsWith(line, word))
      line = absl::StrCat(word, mutated_map(choose, absl::StripPrefix(line, word)));
  }
}

std::string mutated(Choose& choose, absl::string_view text) {
  if (text.empty() || choose.chance(1, 24)) {
    const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(random_map(choose));
    return traced.ok() ? traced->trace : std::string(text);
  }
  const int64_t kind = choose(16);
  if (kind < 6) return with_another_number(choose, std::string(text), kind < 3);
  Lines lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  if (lines.empty()) return "map () -> ()\nbecomes () -> ()\n";
  const size_t at = place_in(choose, lines), other = place_in(choose, lines);
  if (kind < 8) {
    std::swap(lines[at], lines[other]);
  } else if (kind < 10) {
    lines.erase(lines.begin() + static_cast<int64_t>(at));
  } else if (kind < 12) {
    std::string twice = lines[at];
    lines.insert(lines.begin() + static_cast<int64_t>(other), std::move(twice));
  } else if (kind < 14) {
    change_map(choose, lines[at]);
  } else {  // give one step the reason of another
    const size_t by = lines[at].find(" by "), others = lines[other].find(" by ");
    if (by != std::string::npos && others != std::string::npos)
      lines[at] = lines[at].substr(0, by) + lines[other].substr(others);
  }
  number_steps(lines);
  return absl::StrJoin(lines, "\n") + "\n";
}

// Puts a line of the right trace among those of the left one, or appends the whole right trace.
std::string crossed(Choose& choose, absl::string_view left, absl::string_view right) {
  if (choose.chance(1, 4)) return absl::StrCat(left, right);
  Lines lines = absl::StrSplit(left, '\n', absl::SkipEmpty());
  const Lines others = absl::StrSplit(right, '\n', absl::SkipEmpty());
  if (lines.empty() || others.empty()) return std::string(lines.empty() ? right : left);
  const std::string& line = others[place_in(choose, others)];
  const size_t at = place_in(choose, lines);
  if (choose.chance(1, 2)) {
    lines[at] = line;
  } else {
    lines.insert(lines.begin() + static_cast<int64_t>(at), line);
  }
  number_steps(lines);
  return absl::StrJoin(lines, "\n") + "\n";
}

}  // namespace

const TextTarget kTarget = {check, mutated, crossed, /*bytes_of_16=*/2};

}  // namespace tileproof

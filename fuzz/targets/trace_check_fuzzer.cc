// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the trace checker. It either rejects a text in one line that names a line of the
// text, or accepts it as a simplification. Then the first map and the last one must be equal by the
// reference at their points. This would find a bug of the checker.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "fuzz/targets/map_inputs.h"
#include "fuzz/targets/text_mutations.h"
#include "impl/map/simplify.h"
#include "verify/compare/text_compare.h"

namespace tileproof {
namespace {

constexpr int64_t kWork = 200'000;

using Lines = std::vector<std::string>;

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  return verify::trace_difference(text, kWork, tally);
}

// Numbers the steps of each section from 1, after one was added or removed.
std::string with_numbered_steps(absl::string_view text) {
  int64_t step = 0;
  Lines lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (std::string& line : lines) {
    const size_t digits = line.find_first_not_of("0123456789");
    if (absl::StartsWith(line, "map ")) step = 0;
    if (digits == 0 || digits == std::string::npos || line[digits] != ':') continue;
    line = absl::StrCat(++step, line.substr(digits));
  }
  return absl::StrJoin(lines, "\n") + "\n";
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
  const int64_t kind = choose(8);
  if (kind < 3) return with_other_number(choose, std::string(text));
  if (kind < 6) return with_numbered_steps(with_moved_line(choose, text));
  Lines lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  if (lines.empty()) return "map () -> ()\nbecomes () -> ()\n";
  std::string& line = lines[static_cast<size_t>(choose(std::ssize(lines)))];
  if (kind == 6) {
    change_map(choose, line);
  } else {  // give one step the reason of another
    const std::string& other = choose.pick(lines);
    const size_t by = line.find(" by "), others = other.find(" by ");
    if (by != std::string::npos && others != std::string::npos)
      line = line.substr(0, by) + other.substr(others);
  }
  return with_numbered_steps(absl::StrJoin(lines, "\n"));
}

}  // namespace

const TextTarget kTarget = {check, mutated, /*bytes_of_16=*/2};

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace tileproof {
namespace {

constexpr size_t kLongestTyped = 40;

// The typing errors between two words: the "optimal string alignment" distance. Row i of the table
// has the errors between the first i letters of `a` and every prefix of `b`.
size_t typing_errors(absl::string_view a, absl::string_view b) {
  std::vector<size_t> before_last, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last = std::move(last);
    last = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<absl::string_view> nearest_word(absl::string_view typed,
                                              const std::vector<absl::string_view>& words) {
  if (typed.empty() || typed.size() > kLongestTyped) return std::nullopt;
  size_t fewest = std::max<size_t>(1, typed.size() / 3) + 1;
  std::optional<absl::string_view> nearest;
  for (absl::string_view word : words) {
    const size_t errors = typing_errors(typed, word);
    if (errors >= fewest || errors >= word.size()) continue;  // all letters wrong: not near
    fewest = errors;
    nearest = word;
  }
  return nearest;
}

std::string did_you_mean(absl::string_view typed, const std::vector<absl::string_view>& words) {
  const std::optional<absl::string_view> meant = nearest_word(typed, words);
  return meant ? absl::StrCat("; did you mean '", *meant, "'?") : "";
}

}  // namespace tileproof

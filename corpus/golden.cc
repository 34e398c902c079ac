// SPDX-License-Identifier: Apache-2.0
#include "corpus/golden.h"

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tileproof {

constexpr absl::string_view kAnswer = "=> ";

absl::StatusOr<std::vector<GoldenAnswer>> read_golden(const std::string& path) {
  std::ifstream file(path);
  std::vector<GoldenAnswer> entries;
  bool between = true;
  for (std::string line; std::getline(file, line);) {
    if (std::exchange(between, line.empty()) && !line.empty()) entries.emplace_back();
    if (line.empty()) continue;
    absl::string_view rest = line;
    const bool is_answer = absl::ConsumePrefix(&rest, kAnswer);
    absl::StrAppend(is_answer ? &entries.back().answer : &entries.back().question, rest, "\n");
  }
  if (entries.empty())
    return absl::NotFoundError(absl::StrCat(path, ": expected golden answers, found none"));
  return entries;
}

std::string to_text(const std::vector<GoldenAnswer>& entries) {
  std::string text;
  for (const GoldenAnswer& entry : entries) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", entry.question);
    for (const absl::string_view line : absl::StrSplit(entry.answer, '\n', absl::SkipEmpty())) {
      absl::StrAppend(&text, kAnswer, line, "\n");
    }
  }
  return text;
}

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Unit tests whose cases are rows of text: each question of corpus/answers/NAME.txt keeps its answer.
//
//     coalesce (2,(1,6)):(1,(6,2))
//     => 12:1
//
// The first word of a question names the function that answers it. After an intended change,
// TILEPROOF_RENEW=1 rewrites the answers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "corpus/golden.h"
#include "corpus/paths.h"
#include "gtest/gtest.h"

namespace tileproof {

struct AnswerKind {
  absl::string_view word;
  std::function<std::string(absl::string_view text)> answer;  // of what follows the word
};

inline std::string answer_to(absl::string_view question, const std::vector<AnswerKind>& kinds) {
  absl::ConsumeSuffix(&question, "\n");
  const size_t length = std::min(question.find_first_of(" \n"), question.size());
  const auto kind = std::ranges::find(kinds, question.substr(0, length), &AnswerKind::word);
  if (kind == kinds.end()) return "expected a known first word\n";
  std::string text = kind->answer(question.substr(std::min(length + 1, question.size())));
  return absl::EndsWith(text, "\n") ? text : text + "\n";
}

// `file`: below corpus, such as "answers/layouts.txt".
inline void expect_answers(absl::string_view file, const std::vector<AnswerKind>& kinds) {
  const std::string path = project_path(absl::StrCat("corpus/", file));
  auto entries = read_golden(path);
  ASSERT_TRUE(entries.ok()) << entries.status();
  const bool renews = std::getenv("TILEPROOF_RENEW") != nullptr;
  for (GoldenAnswer& entry : *entries) {
    if (is_comment(entry)) continue;
    const std::string answer = answer_to(entry.question, kinds);
    EXPECT_TRUE(renews || answer == entry.answer) << entry.question << "the answer is\n"
                                                  << answer << "and was\n"
                                                  << entry.answer;
    entry.answer = answer;
  }
  if (renews) std::ofstream(path) << to_text(*entries);
}

// The parts of a question: as many as asked for, of which the last may hold the separator again.
template <size_t count>
std::array<std::string, count> parts_of(absl::string_view text, absl::string_view separator = " ") {
  const std::vector<std::string> found =
      absl::StrSplit(text, absl::MaxSplits(std::string(separator), count - 1));
  EXPECT_EQ(found.size(), count) << text;
  std::array<std::string, count> parts;
  std::ranges::copy(found, parts.begin());
  return parts;
}

// The numbers of "7,2"; none in "".
inline std::vector<int64_t> numbers_of(absl::string_view text) {
  std::vector<int64_t> numbers;
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty()))
    EXPECT_TRUE(absl::SimpleAtoi(part, &numbers.emplace_back())) << text;
  return numbers;
}

inline std::string answer_text(int64_t number) { return absl::StrCat(number); }
inline std::string answer_text(const std::string& text) { return text; }
inline std::string answer_text(const std::vector<int64_t>& numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ","), "]");
}
template <class Value>
std::string answer_text(const Value& value) {
  return to_text(value);
}
template <class Value>
std::string answer_text(const std::optional<Value>& value) {
  return value ? answer_text(*value) : "nothing";
}
// The value, or the error.
template <class Value>
std::string answer_text(const absl::StatusOr<Value>& value) {
  return value.ok() ? answer_text(*value) : std::string(value.status().message());
}

}  // namespace tileproof

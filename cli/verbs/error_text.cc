// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/error_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tileproof::cli {
namespace {

constexpr size_t kWidestLine = 96;

bool json_is_on = false;

// The number after `word` if the text is "<word> <number><end>..". Moves the text behind it.
std::optional<int64_t> take_number(absl::string_view& text, absl::string_view word, char end) {
  if (!absl::StartsWith(text, word)) return std::nullopt;
  const absl::string_view rest = text.substr(word.size());
  const size_t length = std::min(rest.find(end), rest.size());
  int64_t number;
  if (length == rest.size() || length == 0 || !absl::ascii_isdigit(rest[0]) ||
      !absl::SimpleAtoi(rest.substr(0, length), &number)) {
    return std::nullopt;
  }
  text = rest.substr(length + 1);
  return number;
}

// Finds "line 3, column 2: " or "column 2: ", at the start of the message or behind ": ". What
// follows the place is left in `message`. Returns what comes before the place.
absl::string_view take_place(absl::string_view& message, ErrorParts& parts) {
  const absl::string_view whole = message;
  absl::string_view rest = message;
  while (true) {
    absl::string_view here = rest;
    const std::optional<int64_t> line = take_number(here, "line ", ',');
    if (line) here = absl::StripLeadingAsciiWhitespace(here);
    const std::optional<int64_t> column = take_number(here, "column ", ':');
    if (column) {
      parts.line = line;
      parts.column = column;
      message = absl::StripLeadingAsciiWhitespace(here);
      return whole.substr(0, whole.size() - rest.size());
    }
    const size_t next = rest.find(": ");
    if (next == absl::string_view::npos) return "";
    rest = rest.substr(next + 2);
  }
}

// The text after `mark`, which is cut off; "" if the text has no such mark.
std::string cut_behind(absl::string_view& text, absl::string_view mark) {
  const size_t at = text.rfind(mark);
  if (at == absl::string_view::npos) return "";
  std::string behind(text.substr(at + mark.size()));
  text = text.substr(0, at);
  return behind;
}

}  // namespace

ErrorParts error_parts(absl::string_view message) {
  ErrorParts parts;
  take_place(message, parts);
  const std::string hint = cut_behind(message, "; did you mean ");
  if (!hint.empty()) parts.hint = absl::StrCat("did you mean ", hint);
  const std::string difference = cut_behind(message, "; XLA differs ");
  if (!difference.empty()) parts.hint = absl::StrCat("XLA differs ", difference);
  parts.found = cut_behind(message, ", found ");
  const size_t expected = message.find("expected ");
  if (expected != absl::string_view::npos) {
    parts.expected = std::string(message.substr(expected + 9));
  }
  return parts;
}

conform::Json error_json(absl::string_view message, absl::string_view file) {
  const ErrorParts parts = error_parts(message);
  conform::Json error = conform::json_object({{"message", std::string(message)}});
  if (!file.empty()) set(error, "file", std::string(file));
  if (parts.line) set(error, "line", *parts.line);
  if (parts.column) set(error, "column", *parts.column);
  if (!parts.expected.empty()) set(error, "expected", parts.expected);
  if (!parts.found.empty()) set(error, "found", parts.found);
  if (!parts.hint.empty()) set(error, "hint", parts.hint);
  return conform::json_object({{"error", std::move(error)}});
}

std::string in_file(absl::string_view message, absl::string_view file) {
  ErrorParts parts;
  absl::string_view rest = message;
  const absl::string_view before = take_place(rest, parts);
  if (!parts.column) return std::string(message);
  return absl::StrCat(before, file, ":", parts.line.value_or(1), ":", *parts.column, ": ", rest);
}

std::string caret_lines(absl::string_view text, absl::string_view message) {
  const ErrorParts parts = error_parts(message);
  if (!parts.column || text.empty()) return "";
  for (int64_t line = parts.line.value_or(1); line > 1; --line) {
    const size_t end = text.find('\n');
    if (end == absl::string_view::npos) return "";
    text = text.substr(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  size_t place = static_cast<size_t>(*parts.column - 1);
  if (place > text.size()) return "";
  if (text.size() > kWidestLine) {
    const size_t start = place < kWidestLine / 2 ? 0 : place - kWidestLine / 2;
    text = text.substr(start, kWidestLine);
    place -= start;
  }
  std::string shown = "  ", below = "  ";
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    shown += absl::ascii_iscntrl(c) ? ' ' : text[i];
    const bool starts_character = (c & 0xc0) != 0x80;  // of UTF-8
    if (i < place && starts_character) below += ' ';
  }
  return absl::StrCat(shown, "\n", below, std::string(place > text.size() ? 1 : 0, ' '), "^\n");
}

void set_json_errors(bool json) { json_is_on = json; }
bool json_errors() { return json_is_on; }

}  // namespace tileproof::cli

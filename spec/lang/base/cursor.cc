// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/cursor.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tileproof {
namespace {

bool starts_identifier(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool continues_identifier(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
}

// Describes the beginning of `rest`, short enough for an error of one line.
std::string describe(absl::string_view rest) {
  if (rest.empty()) return "end of input";
  size_t length = 1;
  if (starts_identifier(rest[0]) || absl::ascii_isdigit(rest[0])) {
    while (length < rest.size() && length < 24 && continues_identifier(rest[length])) ++length;
  }
  std::string shown;
  for (char c : rest.substr(0, length)) {
    if (absl::ascii_isprint(c)) {
      shown += c;
    } else {
      absl::StrAppend(&shown, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return absl::StrCat("'", shown, "'");
}

}  // namespace

bool Cursor::skip_some_space() {
  while (position_ < text_.size()) {
    const absl::string_view left = rest();
    if (left[0] == ' ' || left[0] == '\t' || left[0] == '\r' || left[0] == '\n') {
      ++position_;
    } else if (left.substr(0, 2) == "//") {
      position_ += std::min(left.find('\n'), left.size());
    } else if (left.substr(0, 2) == "/*") {
      const size_t close = left.find("*/", 2);
      if (close == absl::string_view::npos) return true;  // the caller's error shows the comment
      position_ += close + 2;
    } else {
      return true;
    }
  }
  return false;
}

absl::Status Cursor::expect(absl::string_view token, absl::string_view why) {
  if (take(token)) return absl::OkStatus();
  return expected(absl::StrCat("'", token, "'", why.empty() ? "" : " ", why));
}

absl::string_view Cursor::peek_identifier() {
  skip_space();
  const absl::string_view left = rest();
  if (left.empty() || !starts_identifier(left[0])) return left.substr(0, 0);
  size_t length = 1;
  while (length < left.size() && continues_identifier(left[length])) ++length;
  return left.substr(0, length);
}

absl::string_view Cursor::take_identifier() {
  const absl::string_view identifier = peek_identifier();
  position_ += identifier.size();
  return identifier;
}

bool Cursor::at_integer() {
  skip_space();
  const absl::string_view left = rest();
  return !left.empty() && (absl::ascii_isdigit(left[0]) ||
                           (left[0] == '-' && left.size() > 1 && absl::ascii_isdigit(left[1])));
}

absl::StatusOr<int64_t> Cursor::take_integer(absl::string_view what) {
  if (!at_integer()) return expected(what);
  const absl::string_view left = rest();
  size_t length = 1;
  while (length < left.size() && absl::ascii_isdigit(left[length])) ++length;
  if (length < left.size() && (starts_identifier(left[length]) || left[length] == '.')) {
    return expected(what);
  }
  int64_t value;
  if (std::from_chars(left.data(), left.data() + length, value).ec != std::errc()) {
    return error_at(position_, absl::StrCat("expected ", what, " within 64 signed bits, found '",
                                            left.substr(0, std::min<size_t>(length, 24)),
                                            length > 24 ? "..'" : "'"));
  }
  position_ += length;
  return value;
}

absl::Status Cursor::expected(absl::string_view what) {
  skip_space();
  return error_at(position_, absl::StrCat("expected ", what, ", found ", describe(rest())));
}

absl::Status Cursor::error_at(size_t position, absl::string_view message) const {
  const absl::string_view before = text_.substr(0, position);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t line_start = lines == 0 ? 0 : before.rfind('\n') + 1;
  const bool many_lines = text_.find('\n') != absl::string_view::npos;
  return absl::InvalidArgumentError(
      absl::StrCat(many_lines ? absl::StrCat("line ", lines + 1, ", ") : std::string(), "column ",
                   position - line_start + 1, ": ", message));
}

absl::Status Cursor::expect_end() {
  if (skip_space()) return expected("the end");
  return absl::OkStatus();
}

absl::StatusOr<int64_t> take_size(Cursor& cursor, int64_t low, absl::string_view what) {
  const size_t start = cursor.token_position();
  absl::StatusOr<int64_t> value = cursor.take_integer(what);
  if (!value.ok() || *value >= low) return value;
  return cursor.error_at(start,
                         absl::StrCat("expected ", what, " of at least ", low, ", found ", *value));
}

absl::StatusOr<std::vector<int64_t>> take_integers(Cursor& cursor) {
  TRY(cursor.expect("{", "to open a list"));
  return take_list<int64_t>(cursor, "}", "or ',' in a list",
                            [](Cursor& c) { return c.take_integer("an integer"); });
}

absl::Status with_hint(const absl::Status& error, absl::string_view hint) {
  return absl::Status(error.code(), absl::StrCat(error.message(), hint));
}

absl::Status expect_short(const Cursor& cursor) {
  if (cursor.text().size() <= kMaxTextBytes) return absl::OkStatus();
  return cursor.error_at(0, "expected a text of at most 16 MiB");
}

}  // namespace tileproof

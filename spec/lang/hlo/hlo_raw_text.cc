// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_raw_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"

namespace tileproof {
namespace {

constexpr size_t kNone = absl::string_view::npos;

char closing(char open) { return open == '{' ? '}' : open == '[' ? ']' : ')'; }
bool opens(char c) { return c == '{' || c == '[' || c == '('; }
bool closes(char c) { return c == '}' || c == ']' || c == ')'; }

// The offset after the string that opens at `start`, or kNone.
size_t end_of_string(absl::string_view text, size_t start) {
  for (size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return kNone;
}

bool starts_comment(absl::string_view text, size_t i) {
  return text[i] == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*');
}

// The offset after the comment that starts at `start`, or kNone.
size_t end_of_comment(absl::string_view text, size_t start) {
  if (text[start + 1] == '/') return std::min(text.find('\n', start), text.size());
  const size_t close = text.find("*/", start + 2);
  return close == kNone ? kNone : close + 2;
}

absl::Status not_closed(const Cursor& cursor, size_t place, absl::string_view close) {
  return cursor.error_at(place, absl::StrCat("expected '", close, "' to close what opens here, ",
                                             "found end of input"));
}

// Scans from an opening bracket, already taken, to the one that closes it, and takes that. Returns
// the offset after the last character that is neither space nor comment. Errors name `opened`.
absl::StatusOr<size_t> scan_group(Cursor& cursor, char open, size_t opened, Inside inside) {
  const absl::string_view text = cursor.text();
  const char close = closing(open);
  int depth = 1;
  size_t end = cursor.position();
  for (size_t i = end; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      const size_t behind = end_of_string(text, i);
      if (behind == kNone) return not_closed(cursor, i, "\"");
      end = i = behind;
      continue;
    }
    if (inside == Inside::kComments && starts_comment(text, i)) {
      const size_t behind = end_of_comment(text, i);
      if (behind == kNone) return not_closed(cursor, i, "*/");
      i = behind;
      continue;
    }
    if (c == close && --depth == 0) {
      cursor.set_position(i + 1);
      return end;
    }
    if (c == open && ++depth > kMaxNesting) {
      return cursor.error_at(i, absl::StrCat("expected nesting of at most ", kMaxNesting));
    }
    ++i;
    if (!absl::ascii_isspace(c)) end = i;
  }
  return not_closed(cursor, opened, absl::string_view(&close, 1));
}

// Moves past one word, string or bracketed group. Returns false if none starts here.
absl::StatusOr<bool> skip_unit(Cursor& cursor, Inside inside) {
  const absl::string_view text = cursor.text();
  const size_t start = cursor.position();
  if (start == text.size()) return false;
  if (text[start] == '"') {
    const size_t behind = end_of_string(text, start);
    if (behind == kNone) return not_closed(cursor, start, "\"");
    cursor.set_position(behind);
    return true;
  }
  if (opens(text[start])) {
    cursor.set_position(start + 1);
    TRY(scan_group(cursor, text[start], start, inside));
    return true;
  }
  size_t i = start;
  while (i < text.size() && !absl::ascii_isspace(text[i]) && text[i] != ',' && text[i] != '"' &&
         !opens(text[i]) && !closes(text[i]) && !starts_comment(text, i)) {
    ++i;
  }
  cursor.set_position(i);
  return i > start;
}

// After white space a value continues only if nothing else can start there: `[8] <= [8] T(0)`,
// `f32[] {`. Behind a comma goes on `mesh['x'=4], device_ids=([4]) {'x'}`.
bool goes_on_after_space(Cursor& cursor, absl::string_view value) {
  cursor.skip_space();
  const absl::string_view rest = cursor.rest();
  if (absl::StartsWith(value, "mesh[") && absl::StartsWith(rest, ", device_ids=")) {
    cursor.set_position(cursor.position() + 1);
    cursor.skip_space();
    return true;
  }
  return (!rest.empty() && rest[0] == '{') || rest.substr(0, 2) == "<=" ||
         rest.substr(0, 2) == "T(" || absl::EndsWith(value, "<=");
}

// The end of a tuple or buffer whose '(' is at `open`; 0 if it is not certain.
size_t end_of_tuple(absl::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '=') return 0;
    if (starts_comment(text, i)) {
      const size_t behind = text[i + 1] == '*' ? end_of_comment(text, i) : kNone;
      if (behind == kNone) return 0;
      i = behind - 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

// The offset after the first `close` at or after `from`; 0 if a comment comes before it.
size_t behind_close(absl::string_view text, size_t from, char close) {
  for (size_t i = from; i < text.size(); ++i) {
    if (text[i] == close) return i + 1;
    if (text[i] == '/') return 0;
  }
  return 0;
}

size_t skip_blanks(absl::string_view text, size_t i) {
  while (i < text.size() && absl::ascii_isspace(text[i])) ++i;
  return i;
}

size_t end_of_array(absl::string_view text, size_t bracket) {
  const size_t end = behind_close(text, bracket, ']');
  if (end == 0) return 0;
  size_t i = skip_blanks(text, end);
  if (i == text.size() || (text[i] != '{' && text[i] != '/')) return end;
  if (text[i] == '/') return 0;
  i = skip_blanks(text, i + 1);
  if (i == text.size() || text[i] == '/' || text[i] == '-') return 0;
  if (!absl::ascii_isdigit(text[i]) && text[i] != ':') return end;  // no layout
  return behind_close(text, i, '}');
}

}  // namespace

absl::StatusOr<absl::string_view> take_value(Cursor& cursor, absl::string_view name,
                                             Inside inside) {
  const size_t start = cursor.token_position();
  size_t end = start;
  while (true) {
    const size_t unit_start = cursor.position();
    bool taken = TRY(skip_unit(cursor, inside));
    if (taken) {
      end = cursor.position();
      continue;
    }
    if (end == start) return cursor.expected(absl::StrCat("a value for ", name));
    const absl::string_view value = cursor.text().substr(start, end - start);
    if (goes_on_after_space(cursor, value) && cursor.position() > unit_start) continue;
    cursor.set_position(end);
    return value;
  }
}

absl::StatusOr<absl::string_view> take_until_closed(Cursor& cursor) {
  const size_t opened = cursor.position() - 1;
  const size_t start = cursor.token_position();
  size_t end = TRY(scan_group(cursor, '(', opened, Inside::kComments));
  return cursor.text().substr(start, end - start);
}

absl::string_view peek_shape_text(Cursor& cursor) {
  cursor.skip_space();
  const absl::string_view rest = cursor.rest();
  if (rest.substr(0, 1) == "(") return rest.substr(0, end_of_tuple(rest, 0));
  const size_t word = cursor.peek_identifier().size();
  if (word == 0 || word == rest.size()) return rest.substr(0, 0);
  if (rest[word] == '[') return rest.substr(0, end_of_array(rest, word));
  if (rest[word] == '(') return rest.substr(0, end_of_tuple(rest, word));
  return rest.substr(0, 0);
}

}  // namespace tileproof

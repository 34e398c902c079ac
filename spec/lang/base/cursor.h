// SPDX-License-Identifier: Apache-2.0
// A position in a text that is being parsed, and errors that name it.
//
// Every parser of Tileproof is a set of functions over one Cursor. Tokens may be separated by white
// space and comments (`/* .. */`, and `//` to the end of the line), as in HLO text. The functions
// below skip both before they look at the text. Examples of errors:
//
//     column 9: expected ')' to close the tile, found '}'
//     line 3, column 2: expected a dimension number, found end of input
//
// Columns count bytes from 1. The line is given only if the text has more than one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/try.h"

namespace tileproof {

// Limits of every text form. A parser fails as soon as one is exceeded.
inline constexpr size_t kMaxTextBytes = size_t{16} << 20;
inline constexpr int kMaxNesting = 1000;

class Cursor {
 public:
  // The text must outlive the cursor.
  explicit Cursor(absl::string_view text) : text_(text) {}

  // Skips white space and comments. Returns whether any text is left.
  bool skip_space() {
    const bool at_token =
        position_ < text_.size() && text_[position_] > ' ' && text_[position_] != '/';
    return at_token || skip_some_space();
  }

  // Returns the next character after white space, or '\0' at the end.
  char peek() { return skip_space() ? text_[position_] : '\0'; }

  // Takes `token` if it is next. For punctuation: `token` need not end at a word boundary.
  bool take(absl::string_view token) {
    skip_space();
    if (text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }

  // Takes `token`, or fails with "expected <token> <why>, found ..". `why` may be empty.
  absl::Status expect(absl::string_view token, absl::string_view why);

  // Takes an identifier of HLO text, [A-Za-z_][A-Za-z0-9_.-]*. Returns "" if none is next.
  absl::string_view take_identifier();

  // Returns what take_identifier would return, without taking it.
  absl::string_view peek_identifier();

  // Takes a decimal int64 with an optional minus sign. `what` names it in the error. Fails if a
  // letter, '.' or '_' follows the digits: "2x3", "1.0", "1_2".
  absl::StatusOr<int64_t> take_integer(absl::string_view what);

  // Returns whether an integer is next.
  bool at_integer();

  // Returns the error "expected <what>, found <..>" at the next token.
  absl::Status expected(absl::string_view what);

  // Returns an error at a byte offset of the text.
  absl::Status error_at(size_t position, absl::string_view message) const;

  // Fails if any text but white space and comments is left.
  absl::Status expect_end();

  // Returns the byte offset of the next token.
  size_t token_position() {
    skip_space();
    return position_;
  }

  size_t position() const { return position_; }
  void set_position(size_t position) { position_ = position; }
  absl::string_view text() const { return text_; }
  absl::string_view rest() const { return text_.substr(position_); }

 private:
  bool skip_some_space();

  absl::string_view text_;
  size_t position_ = 0;
};

// ---- Tokens that several grammars share ----

// An integer that is not below `low`.
absl::StatusOr<int64_t> take_size(Cursor& cursor, int64_t low, absl::string_view what);

// Items with commas between them, at least one, each as `take` takes it.
template <typename Item, typename Take>
absl::StatusOr<std::vector<Item>> take_items(Cursor& cursor, Take take) {
  std::vector<Item> items;
  do {
    items.push_back(TRY(take(cursor)));
  } while (cursor.take(","));
  return items;
}

// The same up to `close`, which is taken; perhaps none. The error is "expected <close> <why>".
template <typename Item, typename Take>
absl::StatusOr<std::vector<Item>> take_list(Cursor& cursor, absl::string_view close,
                                            absl::string_view why, Take take) {
  if (cursor.take(close)) return std::vector<Item>();
  std::vector<Item> items = TRY(take_items<Item>(cursor, take));
  TRY(cursor.expect(close, why));
  return items;
}

// `{1,0}`
absl::StatusOr<std::vector<int64_t>> take_integers(Cursor& cursor);

// The error with more behind it: "; did you mean 'memref'?".
absl::Status with_hint(const absl::Status& error, absl::string_view hint);

// OK if the text is not longer than kMaxTextBytes.
absl::Status expect_short(const Cursor& cursor);

// Reads the whole text, which must be short, with `read`, which moves the cursor.
template <typename Value, typename Read>
absl::StatusOr<Value> read_all(absl::string_view text, Read read) {
  Cursor cursor(text);
  TRY(expect_short(cursor));
  Value value = TRY(read(cursor));
  TRY(cursor.expect_end());
  return value;
}

}  // namespace tileproof

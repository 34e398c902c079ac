// A place in a text that is being read, and the errors that name it.
//
// Every parser of Tileproof is a set of functions over one Cursor. Between any two tokens white
// space and comments (`/* .. */`, `// ..` to the end of the line) may stand, as in HLO text; the
// functions below skip them first. An error reads
//
//     column 9: expected ')' to close the tile, found '}'
//     line 3, column 2: expected a dimension number, found end of input
//
// with columns counted in bytes from 1, and the line told only where the text has more than one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof {

// Limits of every text form (../design: INTERFACE, section 3). What is beyond is an error, at once.
inline constexpr size_t kMaxTextBytes = size_t{16} << 20;
inline constexpr int kMaxNesting = 1000;

class Cursor {
 public:
  // The text must outlive the cursor.
  explicit Cursor(absl::string_view text) : text_(text) {}

  // Moves over white space and comments. True when something is left.
  bool skip_space() {
    const bool at_token =
        position_ < text_.size() && text_[position_] > ' ' && text_[position_] != '/';
    return at_token || skip_some_space();
  }

  // The next character after white space, or '\0' at the end.
  char peek() { return skip_space() ? text_[position_] : '\0'; }

  // Takes `token` if it is next (after white space). For punctuation: no word boundary is asked
  // for.
  bool take(absl::string_view token) {
    skip_space();
    if (text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }

  // Takes `token`, or explains: "expected <token> <why>, found ..". `why` may be empty.
  absl::Status expect(absl::string_view token, absl::string_view why);

  // Takes an identifier [A-Za-z_][A-Za-z0-9_.-]* as HLO text has them; empty when none is next.
  absl::string_view take_identifier();

  // The identifier that take_identifier would take, without taking it.
  absl::string_view peek_identifier();

  // Takes a decimal integer with an optional sign, in int64. `what` names it in the error. A number
  // that runs into letters, '.' or '_' ("2x3", "1.0", "1_2") is no integer.
  absl::StatusOr<int64_t> take_integer(absl::string_view what);

  // True when the next token starts an integer.
  bool at_integer();

  // An error at the present position (after white space): "expected <what>, found <..>".
  absl::Status expected(absl::string_view what);

  // An error at a given byte offset of the text.
  absl::Status error_at(size_t position, absl::string_view message) const;

  // Fails unless nothing but white space and comments is left.
  absl::Status expect_end();

  // The byte offset of the next token (after white space).
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

}  // namespace tileproof

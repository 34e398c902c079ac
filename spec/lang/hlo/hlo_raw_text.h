// SPDX-License-Identifier: Apache-2.0
// Parts of HLO text that are kept as they are written: values of attributes, literals. Private to
// the parser. spec/lang/hlo/hlo_text.h has the grammar.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"

namespace tileproof {

// What the brackets of a value may hold besides brackets of the same kind and strings.
enum class Inside {
  kComments,  // their brackets and quotes do not count
  kAnything,  // `//` and `/*` are text like any other
};

// Takes the value of an attribute: a run of words, strings and balanced brackets. `name` is for the
// error if there is none.
absl::StatusOr<absl::string_view> take_value(Cursor& cursor, absl::string_view name, Inside inside);

// Takes the text up to the ')' that closes the '(' before the cursor, and that ')'. Returns the
// text without the space and the comments around it.
absl::StatusOr<absl::string_view> take_until_closed(Cursor& cursor);

// The text that parse_shape would take at the cursor, found by its brackets alone. Empty if that is
// not certain: comments, or anything but a shape. With this text the parser looks up shapes that it
// read before.
absl::string_view peek_shape_text(Cursor& cursor);

}  // namespace tileproof

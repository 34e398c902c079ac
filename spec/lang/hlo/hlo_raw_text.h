// Parts of HLO text that are kept as they are written: values of attributes, literals. Used by the
// parser alone; the grammar is told in spec/lang/hlo/hlo_text.h.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"

namespace tileproof {

// What may stand inside the brackets of a value besides brackets of the same kind and strings.
enum class Inside {
  kComments,  // their brackets and quotes do not count
  kAnything,  // `//` and `/*` are text like any other
};

// The value of an attribute at the cursor, which then stands behind it: a run of words, strings and
// balanced brackets. `name` is for the error where there is none.
absl::StatusOr<absl::string_view> take_value(Cursor& cursor, absl::string_view name, Inside inside);

// The text up to the ')' that closes the one before the cursor, without the space and the comments
// around it. The cursor then stands behind that ')'.
absl::StatusOr<absl::string_view> take_until_closed(Cursor& cursor);

// The text that parse_shape would take at the cursor, found by its brackets alone; empty where that
// is not certain (comments, anything but a shape). A shape of the same text was already read, so
// that it need not be read again.
absl::string_view peek_shape_text(Cursor& cursor);

}  // namespace tileproof

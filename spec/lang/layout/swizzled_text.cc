// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/swizzled_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"

namespace tileproof {
namespace {

// `0`, `_0`, or `smem_ptr[16b](unset)`: where the layout starts.
absl::StatusOr<int64_t> take_start(Cursor& cursor) {
  const size_t place = cursor.token_position();
  const absl::string_view name = cursor.peek_identifier();
  if (name == "smem_ptr" || name == "gmem_ptr" || name == "ptr") {
    cursor.take_identifier();
    if (cursor.take("[")) {  // the bits of an element
      const size_t close = cursor.rest().find(']');
      if (close == absl::string_view::npos) return cursor.expected("']' after the bits");
      cursor.set_position(cursor.position() + close + 1);
    }
    TRY(cursor.expect("(", "after the pointer"));
    if (cursor.peek_identifier() != "unset")
      return cursor.expected("'unset': a pointer of unknown value has no offset");
    cursor.take_identifier();
    TRY(cursor.expect(")", "after the pointer"));
    return 0;
  }
  cursor.take("_");
  const int64_t start = TRY(cursor.take_integer("an offset"));
  if (start >= 0) return start;
  return cursor.error_at(place, absl::StrCat("expected an offset of at least 0, found ", start));
}

absl::Status take_o(Cursor& cursor, absl::string_view why) {
  const size_t place = cursor.token_position();
  if (cursor.take_identifier() == "o") return absl::OkStatus();
  cursor.set_position(place);
  return cursor.expected(absl::StrCat("'o' ", why));
}

}  // namespace

bool looks_like_swizzled_layout(absl::string_view text) {
  Cursor cursor(text);
  const absl::string_view name = cursor.take_identifier();
  return (name == "Sw" || name == "Swizzle") && cursor.take("<");
}

absl::StatusOr<SwizzledLayout> parse_swizzled_layout(absl::string_view text) {
  Cursor cursor(text);
  if (text.size() > kMaxTextBytes) return cursor.error_at(0, "expected a text of at most 16 MiB");
  SwizzledLayout result;
  result.swizzle = TRY(parse_swizzle(cursor));
  TRY(take_o(cursor, "after the swizzle"));
  // With two more parts, the first one is the start.
  const size_t place = cursor.token_position();
  const bool pointer = !cursor.peek_identifier().empty() && cursor.peek() != '_';
  const absl::StatusOr<int64_t> start = take_start(cursor);
  if (!start.ok() && pointer) return start.status();
  if (start.ok() && cursor.peek_identifier() == "o") {
    result.start = *start;
    TRY(take_o(cursor, "after the offset"));
  } else {
    cursor.set_position(place);
  }
  result.layout = TRY(parse_nested_layout(cursor));
  TRY(cursor.expect_end());
  return result;
}

std::string to_text(const SwizzledLayout& layout) {
  return absl::StrCat(to_text(layout.swizzle), " o ", layout.start, " o ", to_text(layout.layout));
}

}  // namespace tileproof

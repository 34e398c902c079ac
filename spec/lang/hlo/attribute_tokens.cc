// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/attribute_tokens.h"

#include "absl/strings/str_cat.h"

namespace tileproof {

absl::StatusOr<int64_t> take_size(Cursor& cursor, int64_t low, absl::string_view what) {
  const size_t start = cursor.token_position();
  absl::StatusOr<int64_t> value = cursor.take_integer(what);
  if (!value.ok() || *value >= low) return value;
  return cursor.error_at(start,
                         absl::StrCat("expected ", what, " of at least ", low, ", found ", *value));
}

absl::StatusOr<std::vector<int64_t>> take_integers(Cursor& cursor) {
  TRY(cursor.expect("{", "to open a list"));
  std::vector<int64_t> values;
  if (cursor.take("}")) return values;
  do {
    values.push_back(TRY(cursor.take_integer("an integer")));
  } while (cursor.take(","));
  TRY(cursor.expect("}", "or ',' in a list"));
  return values;
}

}  // namespace tileproof

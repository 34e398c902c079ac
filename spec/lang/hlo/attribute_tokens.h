// SPDX-License-Identifier: Apache-2.0
// Tokens that several attributes share. Each function moves the cursor.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"

namespace tileproof {

// An integer that is not below `low`.
absl::StatusOr<int64_t> take_size(Cursor& cursor, int64_t low, absl::string_view what);

// `{1,0}`
absl::StatusOr<std::vector<int64_t>> take_integers(Cursor& cursor);

// Reads the whole text with `read`, which moves the cursor.
template <typename Value, typename Read>
absl::StatusOr<Value> read_all(absl::string_view text, Read read) {
  Cursor cursor(text);
  Value value = TRY(read(cursor));
  TRY(cursor.expect_end());
  return value;
}

}  // namespace tileproof

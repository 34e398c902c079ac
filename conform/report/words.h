// SPDX-License-Identifier: Apache-2.0
// Texts without what is particular to their numbers: "at 17 of 4294967296" becomes "at n of N".
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::conform {

inline constexpr uint64_t kWide = uint64_t{1} << 31;  // numbers from here on are no ordinary sizes

uint64_t magnitude(int64_t n);
bool is_wide(int64_t n);

// "-" or ""
std::string sign_text(int64_t n);

// "0", "1", "-1", "n", "-n", "N", "-N"
std::string class_of(int64_t n);

// The text with numbers replaced by their classes.
std::string words_of(absl::string_view text);

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// Appends a decimal number to a text. (absl::StrAppend first fills its place with zeros.)
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace tileproof {

inline void append_number(std::string& out, int64_t number) {
  std::array<char, 20> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), static_cast<size_t>(end - digits.data()));
}

}  // namespace tileproof

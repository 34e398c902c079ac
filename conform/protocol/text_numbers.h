// SPDX-License-Identifier: Apache-2.0
// The numbers in a text of the protocol: shapes, maps, modules, and whole requests.
//
//     "f32[2,16]{1,0:T(4)}, pad=1_0x2_3, %p7, d0"     2 16 1 0 4 1 0 2 3
//
// Skips digits that are part of a name or a type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof::conform {

struct TextNumber {
  size_t from = 0;
  size_t length = 0;
};

std::vector<TextNumber> numbers_in(absl::string_view text);

// Reads a number of the text. False if it does not fit int64.
bool read_number(absl::string_view text, TextNumber number, int64_t& value);

// The text with some of its numbers replaced.
std::string with_numbers(absl::string_view text,
                         std::vector<std::pair<TextNumber, int64_t>> replacements);

}  // namespace tileproof::conform

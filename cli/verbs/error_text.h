// SPDX-License-Identifier: Apache-2.0
// Error messages, taken apart: for the caret under the place and for JSON.
//
//     LEFT: column 7: expected ')', found '}'; did you mean ..?
//
//     f32[8,{0}                    {"error": {"message": "LEFT: column 7: expected ..",
//           ^                                 "column": 7, "expected": "')'", "found": "'}'"}}
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"

namespace tileproof::cli {

// What a message says, as far as it says it. Lines and columns count from 1.
struct ErrorParts {
  std::optional<int64_t> line, column;
  std::string expected;  // "')' to close the tile"
  std::string found;     // "'}'"
  std::string hint;      // "did you mean 'transpose'?"

  bool operator==(const ErrorParts&) const = default;
};

ErrorParts error_parts(absl::string_view message);

// {"error": {"message": .., "file": .., "line": .., "column": .., "expected": .., "found": .., "hint": ..}};
// what the message does not say is left out.
conform::Json error_json(absl::string_view message, absl::string_view file = {});

// The message with the place as compilers print it: "LEFT: ci/before.hlo:3:2: expected .." for
// "LEFT: line 3, column 2: expected ..". As it is if it names no place.
std::string in_file(absl::string_view message, absl::string_view file);

// The line of the text that the message names, and a caret under the place, both with an indent of
// two spaces: "  f32[8,}\n        ^\n". A long line is cut around the place. "" if the message
// names no place of the text.
std::string caret_lines(absl::string_view text, absl::string_view message);

// Whether the command prints JSON. Its errors then go to standard output, too, as JSON.
void set_json_errors(bool json);
bool json_errors();

}  // namespace tileproof::cli

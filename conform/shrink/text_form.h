// SPDX-License-Identifier: Apache-2.0
// The form of a request's text: its tokens, and the lists that its brackets hold. It knows no
// operation, so one way of shrinking serves all texts of the protocol.
//
//     {"shape":"f32[2,3]{1,0:T(4)}","index":[1,2]}
//
// has, among others, the lists `2,3`, `1,0`, `4` and `1,2`, and the string is the list of the units
// `f32`, `[2,3]` and `{1,0:T(4)}`. The lines of a string are lists, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof::conform {

// A part of a text: [from, to).
struct TextSpan {
  size_t from = 0, to = 0;

  bool operator==(const TextSpan&) const = default;
};

struct TextList {
  TextSpan all;      // what is between the brackets
  char open = '{';   // the bracket, '"' of a string, or '\n' of a line
  std::string path;  // of items, from the outermost bracket: "/1/0"
  size_t text = 0;   // the string that it is in, by its start; 0: outside of strings
  std::vector<TextSpan> units = {};  // tokens, and brackets with what they hold
  std::vector<TextSpan> items = {};  // what commas separate; of a string of lines, the lines
};

// All lists, outer ones first. The text must be JSON.
std::vector<TextList> lists_in(absl::string_view json);

// Parts of a text, and the new text of each.
using TextEdits = std::vector<std::pair<TextSpan, std::string>>;

// The text with the edits. Parts that lie in other parts are left out.
std::string edited(absl::string_view text, TextEdits edits);

// The span of items first to last, with the comma that goes with them.
TextSpan with_comma(absl::string_view text, const TextList& list, size_t first, size_t last);

absl::string_view part(absl::string_view text, TextSpan span);

// The integer that a part is.
std::optional<int64_t> integer_at(absl::string_view text, TextSpan span);

// Whether it is a name: a word that begins with a letter or '%'.
bool is_word(absl::string_view token);

// The order in which texts of requests are small. Of two failures, the smaller one is the example.

// Is the text of one request smaller: shorter, or equally long and less in alphabetical order? The
// element type f32 and the default layout count as no letters, so others stay only where they
// matter. Arrays with elements are smaller than empty ones, which teach little:
//
//     f32[2]{0}       is smaller than   s4[2]{0}
//     f32[2,2]{1,0}   is smaller than   f32[2,2]{0,1}
//     f32[2,3]{1,0}   is smaller than   f32[0]{0}
bool is_smaller(absl::string_view a, absl::string_view b);

// Whether the request has an array of a shape like f32[2,0], which has no elements. `request` is its
// text.
bool has_empty_array(absl::string_view request);

// The texts of a request in the form that Tileproof prints: fewer texts say the same.
//
//     map   (d0) -> ((d0) + (1 * 2)), domain: d0 in [0, 3]    (d0) -> (d0 + 1 * 2), domain: ..
//     hlo   the instructions that the root needs, without shapes that are not needed

// The forms of the text under a key of a request: none if it is not valid, one if Tileproof does not
// read this key. A module may have two: with the shapes of results as written, and as they follow
// from the operands.
std::vector<std::string> canonical_texts(absl::string_view key, const std::string& text);

}  // namespace tileproof::conform

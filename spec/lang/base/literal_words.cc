// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/base/literal_words.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace tileproof {
namespace {

bool is_separator(char c) { return absl::ascii_isspace(c) || c == '{' || c == '}' || c == ','; }

bool begins_comment(absl::string_view text) { return absl::StartsWith(text, "/*"); }

}  // namespace

std::optional<std::vector<absl::string_view>> words_of_literal(absl::string_view literal) {
  std::vector<absl::string_view> words;
  while (!literal.empty()) {
    size_t length = 0;
    while (length < literal.size() && !is_separator(literal[length]) &&
           !begins_comment(literal.substr(length))) {
      ++length;
    }
    if (length > 0) {
      words.push_back(literal.substr(0, length));
      literal.remove_prefix(length);
    } else if (begins_comment(literal)) {
      const size_t end = literal.find("*/", 2);
      if (end == absl::string_view::npos) return std::nullopt;
      literal.remove_prefix(end + 2);
    } else {
      literal.remove_prefix(1);
    }
  }
  return words;
}

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
#include "conform/report/words.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tileproof::conform {

uint64_t magnitude(int64_t n) {
  return n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
}

bool is_wide(int64_t n) { return magnitude(n) >= kWide - 1; }

std::string sign_text(int64_t n) { return n < 0 ? "-" : ""; }

std::string class_of(int64_t n) {
  if (n >= -1 && n <= 1) return absl::StrCat(n);
  return absl::StrCat(sign_text(n), is_wide(n) ? "N" : "n");
}

std::string words_of(absl::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) {
      out += text[at++];
      continue;
    }
    const size_t from = at;
    while (at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) ++at;
    int64_t value;
    const bool fits = absl::SimpleAtoi(text.substr(from, at - from), &value);
    const bool of_name =
        from > 0 && absl::ascii_isalpha(static_cast<unsigned char>(text[from - 1]));
    out += of_name ? "" : fits ? class_of(value) : "N";
  }
  return out;
}

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
#include "conform/shrink/smaller.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace tileproof::conform {
namespace {

// The length of the default layout of some rank, such as "2,1,0", at the start of a text; or 0.
size_t default_layout_length(absl::string_view text) {
  size_t length = text.find_first_not_of("0123456789,");
  if (length == absl::string_view::npos) return 0;
  const std::vector<absl::string_view> order = absl::StrSplit(text.substr(0, length), ',');
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != absl::StrCat(order.size() - 1 - i)) return 0;
  }
  return length;
}

// The text without what counts as no letters (is_smaller).
std::string plain(absl::string_view text) {
  std::string result = absl::StrReplaceAll(text, {{"f32[", "["}});
  for (size_t at = result.find("]{"); at != std::string::npos; at = result.find("]{", at + 1)) {
    result.erase(at + 2, default_layout_length(absl::string_view(result).substr(at + 2)));
  }
  return result;
}

}  // namespace

bool is_smaller(absl::string_view a, absl::string_view b) {
  const bool empty = has_empty_array(a), other_empty = has_empty_array(b);
  if (empty != other_empty) return other_empty;
  const std::string first = plain(a), second = plain(b);
  if (first.size() != second.size()) return first.size() < second.size();
  return first < second;
}

bool has_empty_array(absl::string_view request) {
  for (size_t open = request.find('['); open != absl::string_view::npos;
       open = request.find('[', open + 1)) {
    if (open == 0 || !absl::ascii_isalnum(static_cast<unsigned char>(request[open - 1]))) continue;
    const size_t close = request.find(']', open);
    if (close == absl::string_view::npos) return false;
    for (absl::string_view size : absl::StrSplit(request.substr(open + 1, close - open - 1), ',')) {
      if (size == "0" || size == "<=0") return true;
    }
  }
  return false;
}

}  // namespace tileproof::conform

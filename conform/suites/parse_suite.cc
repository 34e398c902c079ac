// SPDX-License-Identifier: Apache-2.0
// The suite `parse`: spellings that HLO text allows, and texts that it does not allow.
#include <cstdint>
#include <string>
#include <vector>

#include "conform/suites/layout_suites.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

Json physical(absl::string_view shape) {
  return json_object({{"op", "layout.physical"}, {"shape", shape}});
}

constexpr const char* kSpaces[] = {" ", "  ", "\t", "\n", "/* */", " /*index=1*/ "};

// Inserts white space and comments between tokens, not within words and numbers.
std::string respelled(Choose& choose, const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool between = absl::string_view("{}[](),:*").find(text[i]) != absl::string_view::npos;
    if (between && choose.chance(1, 6)) out += kSpaces[choose(std::ssize(kSpaces))];
    out += text[i];
    if (between && choose.chance(1, 6)) out += kSpaces[choose(std::ssize(kSpaces))];
  }
  return out;
}

}  // namespace

Json make_parse_request(Choose& choose, const Limits&) {
  if (choose.chance(1, 2)) return physical(random_shape_text(choose));
  const int64_t magnitude = int64_t{1} << choose.pick<int64_t>({6, 14, 30});
  return physical(respelled(choose, to_text(random_shape(choose, magnitude))));
}

}  // namespace tileproof::conform

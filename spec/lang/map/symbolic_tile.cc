// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/symbolic_tile.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

constexpr std::array<absl::string_view, 4> kTileLists = {"offsets", "sizes", "strides",
                                                         "upper bounds"};
constexpr absl::string_view kNoBounds = "affine_map<";

// How many expressions a list has; commas in parentheses do not count.
size_t length_of(absl::string_view list) {
  if (absl::StripAsciiWhitespace(list).empty()) return 0;
  int depth = 0;
  size_t commas = 0;
  for (const char c : list) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) ++commas;
  }
  return commas + 1;
}

}  // namespace

bool looks_like_symbolic_tile(absl::string_view text) {
  return absl::StrContains(text, "offsets") && absl::StrContains(text, "upper bounds");
}

// The text becomes that of a map with all results in one list, and every place of it stays.
absl::StatusOr<SymbolicTile> parse_symbolic_tile(absl::string_view text) {
  const Cursor whole(text);
  std::string as_map(text);
  size_t at = 0;
  std::optional<size_t> rank;
  for (const absl::string_view word : kTileLists) {
    const size_t begin = text.find(word, at);
    const size_t open = begin == text.npos ? begin : text.find('[', begin + word.size());
    const size_t close = open == text.npos ? open : text.find(']', open);
    if (close == text.npos)
      return whole.error_at(std::min(at, text.size()), absl::StrCat("expected ", word, " [..]"));
    const size_t length = length_of(text.substr(open + 1, close - open - 1));
    if (rank.value_or(length) != length)
      return whole.error_at(open, absl::StrCat("expected ", *rank, " expressions, found ", length));
    rank = length;
    std::fill(as_map.begin() + static_cast<int64_t>(begin),
              as_map.begin() + static_cast<int64_t>(open) + 1, ' ');
    as_map[close] = length == 0 ? ' ' : ',';
    if (word == kTileLists.front()) as_map[open] = '(';
    if (word == kTileLists.back()) as_map[close] = ')';
    at = close;
  }
  const bool has_domain = absl::StrContains(text.substr(at), "domain");
  if (has_domain) return SymbolicTile{TRY(parse_map(as_map))};
  SymbolicTile tile{TRY(parse_map(absl::StrCat(kNoBounds, as_map, ">")))};
  for (const Op kind : kVariableKinds) {
    for (Variable& variable : variables_of(tile.map, kind))
      variable.bounds = {kind == Op::kDimension ? 0 : 1, INT32_MAX};
  }
  return tile;
}

std::string to_text(const SymbolicTile& tile) {
  const std::string map = to_text(tile.map);
  std::string text = map.substr(0, map.find("->") + 2);
  for (size_t k = 0; k < kTileLists.size(); ++k) {
    absl::StrAppend(&text, " ", kTileLists[k], " [");
    for (size_t d = 0; d < tile.rank(); ++d) {
      if (d > 0) text += ", ";
      append_expression(text, tile.map, tile.map.results[k * tile.rank() + d]);
    }
    text += "]";
  }
  const size_t domain = map.find(", domain:");
  if (domain != map.npos) text += map.substr(domain);
  return text;
}

}  // namespace tileproof

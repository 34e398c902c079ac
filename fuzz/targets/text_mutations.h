// SPDX-License-Identifier: Apache-2.0
// Mutations of texts: lines that move, go or come twice, numbers that change, two texts joined.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/mutate_hlo.h"
#include "generate/layout/generate_shape.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/map_compare.h"

namespace tileproof {

inline std::string another_number(Choose& choose, absl::string_view number) {
  int64_t value = 0;
  const bool small = absl::SimpleAtoi(number, &value) && value < 1'000'000'000;
  if (!small || choose.chance(1, 4))
    return absl::StrCat(choose.pick<int64_t>({0, 1, 2, -1, INT64_MAX, int64_t{1} << 62}));
  return absl::StrCat(choose.pick<int64_t>({value + 1, value - 1, value * 2, choose(100)}));
}

// Replaces a number of the text, at one place or everywhere.
inline std::string with_other_number(Choose& choose, std::string text) {
  const auto digits_at = [&text](size_t place) {
    const absl::string_view rest = absl::string_view(text).substr(place);
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
  };
  std::vector<size_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = absl::ascii_isdigit(text[i]);
    if (digit && (i == 0 || !absl::ascii_isalnum(text[i - 1]))) starts.push_back(i);
  }
  if (starts.empty()) return text;
  const size_t place = choose.pick(starts);
  const std::string old = digits_at(place), other = another_number(choose, old);
  if (choose.chance(1, 2)) return text.replace(place, old.size(), other);
  for (auto at = starts.rbegin(); at != starts.rend(); ++at)
    if (digits_at(*at) == old) text.replace(*at, old.size(), other);
  return text;
}

// A line goes, comes twice, or moves.
inline std::string with_moved_line(Choose& choose, absl::string_view text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const auto from = static_cast<size_t>(choose(std::ssize(lines)));
  const std::string line = lines[from];
  if (choose.chance(2, 3)) lines.erase(lines.begin() + static_cast<int64_t>(from));
  if (choose.chance(2, 3)) {
    lines.insert(lines.begin() + choose(std::ssize(lines) + 1), line);
  }
  return absl::StrJoin(lines, "\n");
}

inline std::string mutated_lines(Choose& choose, absl::string_view text) {
  return choose.chance(1, 2) ? with_other_number(choose, std::string(text))
                             : with_moved_line(choose, text);
}

// The left text up to a delimiter, and the right one from such a delimiter on: a shape with another
// layout, a map with another domain. About half of such shapes can be read, and a fifth of such maps.
// Texts without a delimiter are joined anywhere.
inline std::string spliced(Choose& choose, absl::string_view left, absl::string_view right) {
  std::vector<size_t> ours, theirs;
  for (size_t i = 0; i < left.size(); ++i) {
    if (absl::StrContains("\n,:(){}[]", left[i])) ours.push_back(i);
  }
  if (ours.empty())
    return absl::StrCat(left.substr(0, static_cast<size_t>(choose(std::ssize(left) + 1))),
                        right.substr(static_cast<size_t>(choose(std::ssize(right) + 1))));
  const size_t at = choose.pick(ours);
  for (size_t i = 0; i < right.size(); ++i) {
    if (right[i] == left[at]) theirs.push_back(i);
  }
  return theirs.empty() ? std::string(left)
                        : absl::StrCat(left.substr(0, at), right.substr(choose.pick(theirs)));
}

// Of the choices of a generator (generate/choose/choose.h), one byte or more for each. After the last
// byte every choice is 0, the simplest. So random choices are appended, and replace parts.
inline std::string mutated_choices(Choose& choose, absl::string_view bytes) {
  const auto from = static_cast<size_t>(choose(std::ssize(bytes) + 1));
  std::string more;
  for (int64_t left = choose.between(1, 24); left > 0; --left)
    more.push_back(static_cast<char>(choose(256)));
  const size_t to = from + more.size();
  const bool ends = to >= bytes.size() || choose.chance(1, 4);
  return absl::StrCat(bytes.substr(0, from), more, ends ? "" : bytes.substr(to));
}

// ---- Mutations of values: the text of a shape, of maps, of a module ----

inline std::string mutated_shape(Choose& choose, absl::string_view text) {
  if (choose.chance(1, 16)) return random_shape_text(choose);
  absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok() || shape->kind != Shape::Kind::kArray)
    return to_text(random_shape(choose, int64_t{1} << 20));
  const int64_t changes = choose.between(1, 4);
  for (int64_t i = 0; i < changes; ++i) mutate_shape(choose, *shape);
  return to_text(*shape);
}

// Returns the maps of an input of exactly `count` lines, or none if a line is not a map.
inline std::vector<IndexingMap> maps_of(absl::string_view text, size_t count) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  std::vector<IndexingMap> maps;
  if (lines.size() != count) return maps;
  for (const std::string& line : lines) {
    absl::StatusOr<IndexingMap> map = parse_map(line);
    if (!map.ok()) return {};
    maps.push_back(*std::move(map));
  }
  return maps;
}

// The nodes of the trees of a map. Larger maps take longer, but show little that smaller ones do not.
inline constexpr int64_t kMostNodes = 100;

// Returns a map of a compiler or any map; sometimes too large to enumerate, sometimes with extreme
// numbers.
inline IndexingMap random_map(Choose& choose) {
  switch (choose(6)) {
    case 0:
    case 1:
      return generate_map(choose, {.points = 1024});
    case 2:
      return generate_map(choose, {.depth = 6, .extremes = true});
    case 3:
      return generate_chain(choose, {.points = int64_t{1} << 40, .nodes = kMostNodes}).map;
    default:
      return generate_chain(choose, {.points = 1024, .nodes = kMostNodes}).map;
  }
}

inline void change(Choose& choose, IndexingMap& map) {
  for (int64_t left = choose.between(1, 4); left > 0; --left) mutate_map(choose, map);
}

// The text of a changed map, or that of a new one if it became too large.
inline std::string text_of_changed(Choose& choose, const IndexingMap& map) {
  return to_text(verify::nodes_of(map) > kMostNodes ? random_map(choose) : map);
}

// Returns a changed map, or a new one if the text is not a map.
inline std::string mutated_map(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty() || choose.chance(1, 32)) return to_text(random_map(choose));
  change(choose, maps[0]);
  return text_of_changed(choose, maps[0]);
}

inline std::string generated(Choose& choose) {
  return choose.chance(1, 3) ? generate_computation(choose, {.elements = 60, .operations = 4}).text
                             : generate_operation(choose, {.elements = 60}).text;
}

// Returns a changed module, or a new one if the text is not a module.
inline std::string mutated_hlo(Choose& choose, absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok() || choose.chance(1, 24)) return generated(choose);
  std::string changed = mutate_hlo(choose, *module);
  for (int64_t more = choose(3); more > 0; --more) {
    module = parse_hlo_module(changed);
    if (!module.ok()) break;
    changed = mutate_hlo(choose, *std::move(module));
  }
  return changed;
}

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either parses as a map or fails with a column. A parsed map is valid, and its
// printed text parses as the same map, also with the operators of Python.
#include "absl/strings/str_replace.h"
#include "fuzz/targets/map_inputs.h"
#include "verify/compare/text_compare.h"

namespace tileproof {
namespace {

std::string check(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  const std::string other = verify::read_back_difference(map, parse_map, tally);
  if (!map.ok() || !other.empty()) return other;
  if (!validate(*map).ok()) return absl::StrCat("parsed as an invalid map: ", quoted(*map));
  const std::string python =
      absl::StrReplaceAll(to_text(*map), {{" floordiv ", " // "}, {" mod ", " % "}});
  const absl::StatusOr<IndexingMap> as_python = parse_map(python);
  if (as_python.ok() && *as_python == *map) return "";
  return absl::StrCat("with the operators of Python another map or none: '", python, "'");
}

}  // namespace

const TextTarget kTarget = {check, mutated_map, /*bytes_of_16=*/8};

}  // namespace tileproof

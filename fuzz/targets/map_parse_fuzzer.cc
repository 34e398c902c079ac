// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a text either parses as a map or fails with a column. A parsed map is valid, and its
// printed text parses as the same map, also with the operators of Python.
#include "absl/strings/str_replace.h"
#include "fuzz/targets/map_inputs.h"

namespace tileproof {
namespace {

void check(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) {
    if (map.status().message().find("column ") == absl::string_view::npos)
      fail(absl::StrCat("an error that names no column: ", map.status().message()));
    return;
  }
  if (!validate(*map).ok()) fail(absl::StrCat("parsed as an invalid map: ", quoted(*map)));
  const std::string printed = to_text(*map);
  const absl::StatusOr<IndexingMap> again = parse_map(printed);
  if (!again.ok() || *again != *map)
    fail(absl::StrCat("the printed text is another map or none: ", quoted(*map)));
  const std::string python =
      absl::StrReplaceAll(printed, {{" floordiv ", " // "}, {" mod ", " % "}});
  const absl::StatusOr<IndexingMap> as_python = parse_map(python);
  if (!as_python.ok() || *as_python != *map)
    fail(absl::StrCat("with the operators of Python another map or none: '", python, "'"));
  if (to_text(*again) != printed) fail(absl::StrCat("printed in two ways: ", quoted(*map)));
}

}  // namespace

const TextTarget kTarget = {check, mutated_map, crossed_map, /*bytes_of_16=*/8};

}  // namespace tileproof

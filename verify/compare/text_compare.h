// SPDX-License-Identifier: Apache-2.0
// What holds for every reader of texts. Each function returns "" or one line, and counts the texts that
// are "read".
#pragma once

#include <string>
#include <type_traits>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// An error is one line that contains `place`.
inline std::string error_difference(const absl::Status& error, absl::string_view place) {
  const absl::string_view message = error.message();
  if (message.empty() || absl::StrContains(message, '\n'))
    return absl::StrCat("an error that is not one line: ", message);
  if (absl::StrContains(message, place)) return "";
  return absl::StrCat("an error that does not say '", place, "': ", message);
}

// How a text of a value is read. Not deduced, so that the name of an overloaded reader does.
template <class Value>
using ReadText = std::type_identity_t<absl::StatusOr<Value> (*)(absl::string_view)>;

// An error names a column, and what a value prints reads back as the same value, which prints the same.
template <class Value>
std::string read_back_difference(const absl::StatusOr<Value>& value, ReadText<Value> parse,
                                 CaseCounts& tally) {
  if (!value.ok()) return error_difference(value.status(), "column ");
  ++tally["read"];
  const std::string printed = to_text(*value);
  const absl::StatusOr<Value> again = parse(printed);
  if (!again.ok() || !(*again == *value))
    return absl::StrCat("the printed text is another value or none at '", printed, "'");
  return to_text(*again) == printed ? "" : absl::StrCat("printed in two ways at '", printed, "'");
}

// In a text of MLIR, maps and memrefs are found or an error names a column. Each found map is valid, and
// its own text, and its printed text, parse as the same map.
std::string mlir_difference(absl::string_view text, CaseCounts& tally);

// The trace checker on any text. Returns "" if the answer is right, else one line. Wrong are: an error that is not one line naming a
// line of the trace, and an accepted trace whose maps differ at a point. Compares the maps of an
// accepted trace, which counts as "read", at every point if that evaluates at most `work` nodes, else
// at a sample of points that stays within `work`.
std::string trace_difference(absl::string_view text, int64_t work, CaseCounts& tally);

}  // namespace tileproof::verify

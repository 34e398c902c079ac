// SPDX-License-Identifier: Apache-2.0
// Parses and prints the text of a trace. verify/trace/trace_check.h checks what the lines mean.
//
//     trace   = { section } [ MAP ]          MAP: the result of the last section, repeated
//     section = "map" MAP  { "let" name "=" "(" P ")" "floordiv" integer }
//               { number ":" step }  "becomes" (MAP | "KNOWN EMPTY")
//     step    = says ["by" reason] ["from" numbers] ["given" numbers] ["using" numbers]
//
// Each section numbers its steps from 1. A polynomial P is a sum of products of integers and names.
// impl/map/proof_log/proof_log.h defines what each step means.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/trace/values.h"

namespace tileproof::trace {

struct Let {
  int line = 0;
  std::string name, inside;
  std::string divisor;
};

struct Step {
  int line = 0;
  std::string says, by;
  std::vector<int> from, given, rules;  // indices of earlier steps, from 0
};

struct Section {
  int line = 0;
  IndexingMap before, after;
  std::vector<Let> lets;
  std::vector<Step> steps;
};

// An error names the line.
absl::StatusOr<std::vector<Section>> parse_trace(absl::string_view text);

std::string to_text(const Section& section);  // as parse_trace reads it
std::string to_text(const Step& step);        // without its number: "f1 = d0 by known"
std::string to_text(Wide value);

// "line 3: what".
absl::Status error_at(int line, absl::string_view what);

using Names = std::map<std::string, Polynomial, std::less<>>;

absl::StatusOr<Wide> parse_integer(absl::string_view text);
absl::StatusOr<Polynomial> parse_polynomial(absl::string_view text, const Names& names);

}  // namespace tileproof::trace

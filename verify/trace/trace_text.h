// The text of a trace, taken apart into lines; what they mean is verify/trace/trace_check.h's.
//
//     trace   = { section } [ MAP ]          MAP: what the last section became, once more
//     section = "map" MAP  { "let" name "=" "(" P ")" "floordiv" integer }
//               { number ":" step }  "becomes" (MAP | "KNOWN EMPTY")
//     step    = says ["by" reason] ["from" numbers] ["given" numbers] ["using" numbers]
//
// Steps are numbered from 1 in each section. Polynomials P are sums of products of integers and
// names. Meaning: impl/map/proof_log/proof_log.h.
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
  std::vector<int> from, given, rules;  // places of earlier steps, from 0
};

struct Section {
  int line = 0;
  IndexingMap before, after;
  std::vector<Let> lets;
  std::vector<Step> steps;
};

// Errors name the line.
absl::StatusOr<std::vector<Section>> parse_trace(absl::string_view text);

// The section as parse_trace reads it. A step without its number: "f1 = d0 by known".
std::string to_text(const Section& section);
std::string to_text(const Step& step);
std::string to_text(Wide value);

// "line 3: what".
absl::Status error_at(int line, absl::string_view what);

using Names = std::map<std::string, Polynomial, std::less<>>;

absl::StatusOr<Wide> parse_integer(absl::string_view text);
absl::StatusOr<Polynomial> parse_polynomial(absl::string_view text, const Names& names);

}  // namespace tileproof::trace

// Judges answers of XLA against the reference (spec/hlo/provenance.h).
//
// An answer is a line of JSON, as ask_xla.py prints it and as corpus/xla keeps it:
//
//     {"id": "q7", "kind": "gather", "way": "bits", "text": HLO, "offsets": {"1": [4, -2]},
//     "answer": ["6 7 0|6 7 2"]}
//
// `answer` has a text for each array of the result: elements in row-major order between "|", each
// the numbers of the sources (verify/xla/question.h) that XLA let flow into it. `text` is the
// module asked about; in the way `compiled` it is what XLA's compiler made of one, with fusions,
// layouts and bitcasts, and ran.
//
// What is demanded: the same sources everywhere, but for what verify/xla/known_differences.h names. Other
// lines say why there is no answer: {"id", "kind", "refused" | "unasked": why}.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::xla {

struct Judged {
  std::string id, kind, encoding;
  std::string unanswered;  // why there is no answer; empty where there is one
  std::string difference;  // one line; empty where XLA and the reference agree
  std::set<std::string>
      explained;            // names of verify/xla/known_differences.h, where sources are missing
  int64_t elements = 0;     // of the result
  int64_t dependences = 0;  // pairs of an element and a source of it, in the reference
  int64_t shown = 0;        // of these, by XLA's answer
};

// An error where the line cannot be read, or the reference cannot say.
absl::StatusOr<Judged> judge(absl::string_view line);

}  // namespace tileproof::xla

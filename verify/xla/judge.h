// SPDX-License-Identifier: Apache-2.0
// Judges answers of XLA against the reference (spec/hlo/provenance.h).
//
// An answer is a line of JSON, as ask_xla.py prints it and as corpus/xla keeps it:
//
//     {"id": "q7", "kind": "gather", "way": "bits", "text": HLO, "offsets": {"1": [4, -2]},
//      "answer": ["6 7 0|6 7 2"]}
//
// `offsets` has the values of offset and index arrays, by parameter number. `values` has those of
// other instructions, by name: {"v": [3, 0]}.
// `answer` has one text for each array of the result: its elements in row-major order, separated by
// "|"; each lists the numbers of the sources (verify/xla/question.h) that it depends on in XLA.
// `text` is the module in question. In the encoding `compiled` it is the module that XLA's compiler
// made (with fusions, layouts and bitcasts) and ran.
//
// Every element must have the same sources as in the reference, except for
// verify/xla/verdict.h. Other lines say why there is no answer:
//
//     {"id": .., "kind": .., "refused": why}      XLA refuses the module
//     {"id": .., "kind": .., "unasked": why}      the question has no surrogate
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::xla {

struct Judged {
  std::string id, kind, encoding;
  std::string unanswered;           // why there is no answer; empty if there is one
  std::string difference;           // one line; empty if XLA and the reference agree
  std::set<std::string> explained;  // known differences (by name) that explain missing sources
  int64_t elements = 0;             // elements of the result
  int64_t dependences = 0;          // pairs (element, source) in the reference
  int64_t shown = 0;                // of these, in XLA's answer
};

// The form in which the module is read: `text`, or `stablehlo`, `generic` (StableHLO with all
// attributes by name) and `proto` (base64), which XLA makes of it (ask_formats.py).
enum class Form { kHlo, kStableHlo, kGenericStableHlo, kProto };

// Errors: the line cannot be read, or the reference cannot answer. In another form than HLO, the
// module must have the dependences that the reference gives for the HLO, element by element.
absl::StatusOr<Judged> judge(absl::string_view line, Form form = Form::kHlo);

}  // namespace tileproof::xla

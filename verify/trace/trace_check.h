// SPDX-License-Identifier: Apache-2.0
// Checks a trace of a simplification (impl/map/proof_log/proof_log.h) without the simplifier.
//
// Trusting an accepted trace means trusting the lemmas (verify/lemmas proves them for all integers)
// and verify/trace. The checker uses no normal form, no range analysis and no code of the
// simplifier. The only numbers that it divides are constants.
//
// Each step is an inference, checked on its own. The checker instantiates the lemma with the values
// in the text. Its hypotheses and its conclusion must be, as polynomials, the facts that the step
// names. Then the checker follows the inferences twice:
//
//     from the bounds and constraints of the map before:
//         every step must apply, in order. Together they must yield all bounds and constraints of
//         the map after, and equal results.
//     from the bounds and constraints of the map after:
//         a step that is an equivalence also applies backwards. Together they must yield all bounds
//         and constraints of the map before.
//
// So both maps accept the same points and give the same results there. KNOWN EMPTY needs a
// contradiction.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/trace/trace_text.h"
#include "verify/trace/values.h"

namespace tileproof::trace {

struct Checked {
  IndexingMap before, after;  // of the first and the last section
  int sections = 0;
  int steps = 0;
};

// What the trace proves. An error names the line of the first wrong step.
absl::StatusOr<Checked> check_trace(absl::string_view text);

// The facts that the steps of a section state. If the trace is accepted, each fact holds at every
// point of the domain; tests evaluate them there.
struct StatedFact {
  int line = 0;
  Fact fact;
};
struct StatedFacts {
  Table table;
  std::vector<StatedFact> facts;
};
absl::StatusOr<StatedFacts> stated_facts(const Section& section);

}  // namespace tileproof::trace

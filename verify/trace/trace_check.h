// Checks a trace of a simplification (impl/map/proof_log/proof_log.h) without the simplifier.
//
// To believe an accepted trace it is enough to believe the lemmas (verify/lemmas proves them for
// all integers), this file and verify/trace/{values,facts,trace_text}.*. No normal form, range
// analysis or word of the simplifier is used: the only division here is that of constants.
//
// Each step is an inference, looked at on its own: the lemma is instantiated with the values that
// are written down, and its hypotheses and conclusion must be, as polynomials, the facts that the
// step names. Then inferences are followed twice:
//
//     from the bounds and constraints before:  every step applies, in order; they must lead to all
//                                              bounds and constraints after, and to equal results
//     from the bounds and constraints after:   where an equivalence applies backwards too; they
//                                              must lead to all bounds and constraints before
//
// so both maps accept the same points and give the same results there. KNOWN EMPTY must be reached
// by a contradiction.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/map/indexing_map.h"
#include "verify/trace/facts.h"
#include "verify/trace/trace_text.h"

namespace tileproof::trace {

struct Checked {
  IndexingMap before, after;  // of the first and the last section
  int sections = 0;
  int steps = 0;
};

// What the trace proves; an error names the line of the first step that is wrong.
absl::StatusOr<Checked> check_trace(absl::string_view text);

// The facts that the steps of a section state, each holding at every point of the domain if the
// trace is accepted. For tests that evaluate them.
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

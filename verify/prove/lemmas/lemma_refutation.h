// SPDX-License-Identifier: Apache-2.0
// Refutes a false lemma: finds a point where the hypotheses hold and the conclusion does not.
//
// Z3 looks for a point of the statement as SMT-LIB (verify/prove/lemmas/lemma_smtlib.h). The point is returned only if evaluation
// with checked integers confirms it. That Z3 finds no point is no proof: a proof has a certificate.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

// Returns one value for each variable. NotFound: the solver says there is no point.
// DeadlineExceeded: it did not answer in time. Internal: its point does not fit 64 bits, or
// evaluation disagrees.
absl::StatusOr<std::vector<int64_t>> refute(const StatedLemma& lemma,
                                            unsigned timeout_milliseconds);

}  // namespace tileproof::lemmas

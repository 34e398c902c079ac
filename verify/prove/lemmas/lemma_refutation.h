// Refutes a false lemma: a point where the hypotheses hold and the conclusion does not.
//
// Z3 is asked for such a point, in the integers with div and mod; the point is then executed with
// checked integers, and only one that fails there is returned. "No point" from Z3 is not a proof
// here: proofs leave certificates.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

// One value for each variable. NotFound: the solver says there is none; DeadlineExceeded: it did
// not answer in time; Internal: its point is not one (it does not fit 64 bits, or plain evaluation
// disagrees).
absl::StatusOr<std::vector<int64_t>> refute(const StatedLemma& lemma,
                                            unsigned timeout_milliseconds);

}  // namespace tileproof::lemmas

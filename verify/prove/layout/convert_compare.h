// SPDX-License-Identifier: Apache-2.0
// Compares conversions and equality proofs with enumeration: evaluates both references at every
// index and uses no solver. Tests and campaigns of layouts of several systems use it.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/lang/layout/any_layout.h"
#include "verify/compare/case_counts.h"
#include "verify/prove/layout/layout_convert.h"

namespace tileproof::verify {

// Converts to all four systems. If the array has at most `most_indices` elements, compares each
// answer at all of them; then only a conversion to xla may be open. An error is a finding: one line
// that can be pasted back. Counts "layouts", conversions that are "proven", "ruled out" by a point, or
// "open" (not found or not proven), the "indices" at which a converted layout was evaluated, and
// "without a function": too large, unbounded.
absl::Status compare_conversions(const AnyLayout& layout, int64_t most_indices,
                                 ProofSession& session, CaseCounts& tally);

// Compares the verdict of prove_equal with all indices. Both functions need one logical shape.
// Returns the number of indices; 0 if there are more than `most_indices`, which are not compared.
absl::StatusOr<int64_t> compare_verdict(const spec::LayoutFunction& left,
                                        const spec::LayoutFunction& right, int64_t most_indices,
                                        ProofSession& session);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Reads the statement of a lemma, as to_text prints it (verify/lemmas/lemma_numbers.h).
//
//     0 < c => (c * x + y) floordiv c = x + y floordiv c
//     0 < m => (x mod m = 0 <=> -x mod m = 0)
//     x <= b and b < l => never l <= x
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verify/lemmas/lemma_numbers.h"

namespace tileproof::lemmas {

// Errors: what was expected, and the rest of the text. A statement has no steps of a proof.
absl::StatusOr<impl::Claim<Term>> parse_claim(absl::string_view text);

}  // namespace tileproof::lemmas

// SPDX-License-Identifier: Apache-2.0
// Judges an answer to hlo.index about arrays that are too large to enumerate: it is proven or
// refuted (verify/prove/hlo/indexing_proof.h).
#pragma once

#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"

namespace tileproof::conform {

// Open if the question is about a computation, or from input to output with several arrays on a
// side.
Assessment judge_by_proof(const HloQuestion& question, const Answer& answer);

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// The digest of the sources of the definitions and proofs that this program was built from.
//
// What another program proved counts only if it had the same definitions and the same proofs, so
// the digest is part of each question that outlives a process (verify/prove/smt/proof_cache.h).
#pragma once

namespace tileproof::verify {

extern const char kProofDigest[];

}  // namespace tileproof::verify

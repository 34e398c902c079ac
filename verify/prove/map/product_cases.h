// SPDX-License-Identifier: Apache-2.0
// Equality of maps with products of variables, by cases.
//
// Quasi-affine rewriting and linear questions say little about a product of variables. But in each
// of a few cases a variable d is f * q + r for numbers f and r and a new variable q:
//
//     by residues   f = m, the least common multiple of the divisors; r = 0, .., m - 1
//                   (d0 * d0) mod 2 and d0 mod 2:
//                       d0 = 2*q        (4*q*q) mod 2 = 0              (2*q) mod 2 = 0
//                       d0 = 2*q + 1    (4*q*q + 4*q + 1) mod 2 = 1    (2*q + 1) mod 2 = 1
//     by values     f = 0: each value of a variable with a small range. A product with one varying
//                   factor is linear.
//
// Residues are tried first. They need no solver: rearranging shows that the maps are equal in a
// case, or does not.
#pragma once

#include "spec/lang/map/indexing_map.h"
#include "verify/prove/map/equality_prover.h"

namespace tileproof::verify {

// As prove_equality. Undecided, without work, if no result or constraint has a product of
// variables, or if there are too many cases.
EqualityVerdict prove_equality_by_cases(const IndexingMap& left, const IndexingMap& right,
                                        SolverSession& session);

}  // namespace tileproof::verify

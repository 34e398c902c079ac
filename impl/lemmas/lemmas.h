// SPDX-License-Identifier: Apache-2.0
// The list of all lemmas. To add one, declare it in the header of its subject, name it here, and
// create its certificate with write_lemma_certificates. The simplifier's steps, the proofs, the
// tests and the manual all use this one declaration. A lemma that no trace, proof or Coq file uses
// fails lemma_uses_test.
#pragma once

#include "impl/lemmas/lemma.h"
#include "impl/lemmas/lemmas_constraint.h"
#include "impl/lemmas/lemmas_rewriting.h"
#include "impl/lemmas/lemmas_tiling.h"

namespace tileproof::impl {

template <class Visit, class... Lemmas>
constexpr void visit_each(Visit& visit, const Lemmas&... lemmas) {
  (visit(lemmas), ...);
}

// Calls visit(lemma) for each lemma, in the order of the manual.
template <class Visit>
constexpr void for_each_rewriting_lemma(Visit visit) {
  visit_each(visit, kNegativeDivisor, kFloorDivByOne, kPullMultiple, kOneCell, kDropSmallPart,
             kCommonFactor, kNestedFloor, kMergeInnerFloor, kMergeInnerNegatedFloor, kNegatedFloor,
             kTwoHalves);
}

template <class Visit>
constexpr void for_each_range_lemma(Visit visit) {
  visit_each(visit, kRangePoint, kRangeProduct, kRangeFloorDivPositive, kRangeModPositive,
             kRangeHiddenMod, kRangeHiddenModNegative);
}

template <class Visit>
constexpr void for_each_constraint_lemma(Visit visit) {
  visit_each(visit, kConstraintScalePositive, kConstraintFloorDiv, kConstraintDropSmallPart,
             kConstraintDropSmallPartBelow, kConstraintDropSmallPartAbove, kConstraintIntersect,
             kConstraintAlways, kConstraintNever, kConstraintNeverBelow, kBoundFromSum,
             kBoundFromSumNegative, kCongruenceDivide, kCongruenceMerge, kCongruenceContradiction,
             kCongruenceLowerBound, kCongruenceUpperBound, kResidueIntervalLowerBelow,
             kResidueIntervalLowerAbove, kResidueIntervalUpperAbove, kResidueIntervalUpperBelow,
             kResidueShift, kResidueMirror, kResidueOpenFloor, kResidueOfDivisor);
}

template <class Visit>
constexpr void for_each_tiling_lemma(Visit visit) {
  visit_each(visit, kDigitQuotient, kDigitRemainder, kIndexedSize, kPadSize, kPadKeepsIndex,
             kSplitInBounds, kSplitUndone, kUnsplitInBounds, kCombineInBounds, kUncombineInBounds,
             kLeadingOne, kDivideByMultiplication);
}

}  // namespace tileproof::impl

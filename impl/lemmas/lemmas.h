// SPDX-License-Identifier: Apache-2.0
// The list of all lemmas. To add one, declare it in the header of its subject, name it here, and
// create its certificate with write_lemma_certificates. The simplifier's steps, the proofs, the
// tests and the manual all use this one declaration.
#pragma once

#include "impl/lemmas/lemma.h"
#include "impl/lemmas/lemmas_constraint.h"
#include "impl/lemmas/lemmas_range.h"
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
  visit_each(visit, kModIsRemainder, kModIsRemainderNegative, kCeilDivIsFloor, kNegativeDivisor,
             kNegativeModulus, kNegativeCeilDiv, kFloorDivByOne, kModByOne, kDistribute, kCollect,
             kPullMultiple, kOtherRepresentative, kOneCell, kDropSmallPart, kCommonFactor,
             kSplitByFactor, kNestedFloor, kNestedFloorNegativeInside, kNestedCeil,
             kMergeInnerFloor, kMergeInnerNegatedFloor, kNegatedFloor, kTwoHalves, kExactDivision,
             kExactMultiple, kKnownResidue, kSplitExactSum, kModDropMultiple, kModOneCell,
             kModCommonFactor, kModSplitLow, kModOfMod, kModOfSumWithMod, kModOfScaledMod,
             kFloorOfMod, kModOfNegated, kModTwoIgnoresSign, kRecombine, kRecombineDigits,
             kRecombineMods);
}

template <class Visit>
constexpr void for_each_range_lemma(Visit visit) {
  visit_each(visit, kRangePoint, kRangeSum, kRangeScalePositive, kRangeScaleNegative, kRangeProduct,
             kRangeFloorDivPositive, kRangeFloorDivNegative, kRangeCeilDivPositive,
             kRangeCeilDivNegative, kRangeModPositive, kRangeModNegative, kRangeModOneCell,
             kRangeModOfNonNegative, kRangeModOfMultiples, kRangeHiddenMod, kRangeHiddenModNegative,
             kRangeFloorOfSum, kRangeFloorDivByInterval, kRangeModByInterval);
}

template <class Visit>
constexpr void for_each_constraint_lemma(Visit visit) {
  visit_each(visit, kConstraintShift, kConstraintNegate, kConstraintScalePositive,
             kConstraintScaleNegative, kConstraintFloorDiv, kConstraintFloorDivNegative,
             kConstraintCeilDiv, kConstraintCeilDivNegative, kConstraintModOneCell,
             kConstraintDropSmallPart, kConstraintDropSmallPartBelow, kConstraintDropSmallPartAbove,
             kConstraintIntersect, kConstraintAlways, kConstraintNever, kConstraintNeverBelow,
             kConstraintEmptyInterval, kBoundFromSum, kBoundFromSumNegative, kCongruenceShift,
             kCongruenceOutOfRange, kCongruenceNegativeResidue, kCongruenceCommonFactor,
             kCongruenceNoSolution, kCongruenceDivide, kCongruenceMerge, kCongruenceContradiction,
             kCongruenceLowerBound, kCongruenceUpperBound, kCongruenceFromEquation,
             kResidueIntervalLowerBelow, kResidueIntervalLowerAbove, kResidueIntervalUpperAbove,
             kResidueIntervalUpperBelow, kResidueShift, kResidueMirror, kResidueOpenFloor,
             kResidueOfDivisor, kRescale, kRescaleBounds);
}

template <class Visit>
constexpr void for_each_tiling_lemma(Visit visit) {
  visit_each(visit, kDigitQuotient, kDigitRemainder, kIndexedSize, kPadSize, kPadKeepsIndex,
             kPadNothing, kSplitInBounds, kSplitUndone, kSplitBijection, kUnsplitInBounds,
             kSplitAgain, kCombineInBounds, kUncombineInBounds, kCombineBijection, kMoveDimension,
             kLeadingOne, kTailSize, kFullTile, kDivideByMultiplication);
}

template <class Visit>
constexpr void for_each_lemma(Visit visit) {
  for_each_rewriting_lemma(visit);
  for_each_range_lemma(visit);
  for_each_constraint_lemma(visit);
  for_each_tiling_lemma(visit);
}

}  // namespace tileproof::impl

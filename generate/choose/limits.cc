// SPDX-License-Identifier: Apache-2.0
#include "generate/choose/limits.h"

namespace tileproof {
namespace {

using namespace limits;

constexpr const Limit* kAll[] = {
    &kRank,
    &kSize,
    &kNewDimensions,
    &kNewSize,
    &kConcatenateOperands,
    &kConcatenateSize,
    &kVariadic,
    &kScatterInputs,
    &kTupleParts,
    &kCallOperands,
    &kPadEdge,
    &kPadInterior,
    &kStride,
    &kWindow,
    &kWindowElements,
    &kWindowPad,
    &kDilation,
    &kFreeDimensions,
    &kFeatures,
    &kBatchDimensions,
    &kBatchSize,
    &kBatchingPairs,
    &kGatherWindow,
    &kReplicas,
    &kBitcastTile,
    &kBitcastTileRank,
    &kOperations,
    &kLoopMasks,
    &kShapeRank,
    &kTiles,
    &kTileRank,
    &kTileSize,
    &kTail,
    &kBlockedRank,
    &kBlocks,
    &kNestedLeaves,
    &kNestedDepth,
    &kNestedWidth,
    &kCompactParts,
    &kMapDimensions,
    &kMapRanges,
    &kMapRuntime,
    &kMapResults,
    &kMapConstraints,
    &kMapDepth,
    &kMapSize,
    &kChainSteps,
    &kChainRank,
    &kChainStride,
    &kRelatedDimensions,
    &kRuleShapedResults,
    &kMutatedNodes,
    &kRelatedResults,
    &kListLength,
    &kAskedElements,
    &kAskedOperations,
    &kAskedDepth,
    &kAskedPoints,
    &kAskedTileStride,
    &kAskedTile,
};

}  // namespace

int64_t choose_within(Choose& choose, const Limit& limit, int64_t rare) {
  const bool large = limit.usual < limit.most && choose.chance(1, rare);
  return large ? choose.between(limit.usual + 1, limit.most)
               : choose.between(limit.least, limit.usual);
}

absl::Span<const Limit* const> all_limits() { return kAll; }

}  // namespace tileproof

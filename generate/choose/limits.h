// SPDX-License-Identifier: Apache-2.0
// How large generated inputs can be. The one table of the limits of generate/ and of the judge's
// suites: a fault that shows only beyond a limit is a fault that no generator finds.
//
// Most values are small, because small inputs are quick to judge and easy to read. Once in kRare
// times a value is larger:
//
//     kConcatenateOperands {1, 3, 8}     1 to 3 operands; once in 16 times 4 to 8
//
// conform/suites/limits_test.cc holds a fault for each limit that appears only above `usual`, and
// checks that the judge notices it. verify/compare/indexing_compare_test.cc compares the definition
// with the closed forms on operations that are large in every respect (`rare` = 1). Bounded
// families (generate/hlo/bounded_hlo.h, ShapeFamily, conform/suites/makers.h) state their own
// bounds: each is exhaustive within them.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "generate/choose/choose.h"

namespace tileproof {

struct Limit {
  absl::string_view what;
  int64_t least;
  int64_t usual;
  int64_t most;           // equal to `usual`: never larger
  absl::string_view why;  // why not more
};

inline constexpr int64_t kRare = 16;

// Returns a number in [least, usual], once in `rare` times one in (usual, most].
int64_t choose_within(Choose& choose, const Limit& limit, int64_t rare = kRare);

// Every limit below.
absl::Span<const Limit* const> all_limits();

// A row for each limit: its name and its members.
#define TILEPROOF_LIMITS(LIMIT)                                                                    \
  /* HLO (generate/hlo) */                                                                         \
  LIMIT(kRank, "rank of an array", 0, 4, 6, "arrays have few elements")                            \
  LIMIT(kSize, "size of a dimension", 2, 4, 12, "arrays have few elements")                        \
  LIMIT(kNewDimensions, "dimensions that a broadcast adds", 0, 2, 4, "the rank of an array")       \
  LIMIT(kNewSize, "size that a broadcast or a dot adds", 1, 4, 9, "the size of a dimension")       \
  LIMIT(kConcatenateOperands, "operands of a concatenate", 1, 3, 8,                                \
        "each may be a parameter of its own")                                                      \
  LIMIT(kConcatenateSize, "size of an operand along a concatenate", 0, 3, 9,                       \
        "the size of a dimension")                                                                 \
  LIMIT(kVariadic, "arrays of a reduce, reduce-window or sort", 1, 3, 8,                           \
        "each is asked about on its own, in both directions")                                      \
  LIMIT(kScatterInputs, "arrays of a scatter", 1, 2, 6,                                            \
        "each has updates, and is asked about on its own")                                         \
  LIMIT(kTupleParts, "parts of a tuple", 1, 2, 8, "each is asked about on its own")                \
  LIMIT(kCallOperands, "operands of a custom-call", 1, 2, 5, "all of them reach every element")    \
  LIMIT(kPadEdge, "padding, or cut, at an edge", 0, 3, 9, "the size of a dimension")               \
  LIMIT(kPadInterior, "interior padding", 0, 2, 7, "the size of a dimension")                      \
  LIMIT(kStride, "stride of a slice or a window", 1, 3, 7, "larger ones leave one element")        \
  LIMIT(kWindow, "size of a window", 1, 3, 7, "windows are enumerated")                            \
  LIMIT(kWindowElements, "elements of a window", 1, 81, 81,                                        \
        "the reference visits all, for each element of a result")                                  \
  LIMIT(kWindowPad, "padding, or cut, of a window", 0, 2, 7, "the size of a dimension")            \
  LIMIT(kDilation, "dilation of a window", 1, 3, 6, "the size of a dimension")                     \
  LIMIT(kFreeDimensions, "free dimensions of the right side of a dot", 0, 2, 4,                    \
        "the rank of an array")                                                                    \
  LIMIT(kFeatures, "output features for each group of a convolution", 1, 2, 6,                     \
        "arrays have few elements")                                                                \
  LIMIT(kBatchDimensions, "batch dimensions of a table of indices", 0, 2, 4,                       \
        "the rank of an array")                                                                    \
  LIMIT(kBatchSize, "size of a batch dimension", 1, 3, 9, "the size of a dimension")               \
  LIMIT(kBatchingPairs, "batching dimensions of a gather or scatter that has some", 1, 2, 3,       \
        "the rank of an array")                                                                    \
  LIMIT(kGatherWindow, "size of a window that is gathered", 1, 3, 12, "the size of a dimension")   \
  LIMIT(kReplicas, "replicas of a collective", 1, 3, 8, "the size of a dimension")                 \
  LIMIT(kBitcastTile, "size of a tile of a bitcast", 1, 4, 9, "padding must keep the array small") \
  LIMIT(kBitcastTileRank, "rank of a tile of a bitcast", 1, 2, 4, "the rank of an array")          \
  LIMIT(kOperations, "operations of a computation", 1, 8, 8,                                       \
        "the reference interprets all of them")                                                    \
  LIMIT(kLoopMasks, "predicates that a loop carries", 0, 2, 2,                                     \
        "each is asked about on its own, and runs with the loop")                                  \
  /* Layouts (generate/layout) */                                                                  \
  LIMIT(kShapeRank, "rank of a shape", 0, 4, 8, "sizes multiply to the magnitude")                 \
  LIMIT(kTiles, "tiles of a layout", 1, 3, 6, "padding multiplies with each tile")                 \
  LIMIT(kTileRank, "rank of a tile", 1, 6, 9, "padding multiplies with each size")                 \
  LIMIT(kTileSize, "size of a tile", 1, 300, 5000, "padding multiplies with it")                   \
  LIMIT(kTail, "alignment of the tail", 1, 2000, 1'000'000, "padding is enumerated")               \
  LIMIT(kBlockedRank, "rank of a blocked format", 1, 5, 8, "sizes multiply to the magnitude")      \
  LIMIT(kBlocks, "blocks of a blocked format", 0, 4, 8, "padding multiplies with each block")      \
  LIMIT(kNestedLeaves, "integers of a part of a nested layout", 1, 6, 12,                          \
        "extents multiply to the magnitude")                                                       \
  LIMIT(kNestedDepth, "depth of a part of a nested layout", 1, 4, 7,                               \
        "random_nesting also makes layouts 60 deep")                                               \
  LIMIT(kNestedWidth, "elements of a tuple of a nested layout", 0, 3, 3,                           \
        "random_nesting also makes tuples of 17")                                                  \
  LIMIT(kCompactParts, "parts of a tuple of a compact layout", 0, 4, 4,                            \
        "three levels of four make 64 integers")                                                   \
  /* Maps (generate/map) */                                                                        \
  LIMIT(kMapDimensions, "dimensions of a map", 0, 3, 7, "points multiply with each size")          \
  LIMIT(kMapRanges, "range variables of a map", 0, 2, 5, "points multiply with each size")         \
  LIMIT(kMapRuntime, "runtime variables of a map", 0, 2, 5, "points multiply with each size")      \
  LIMIT(kMapResults, "results of a map", 0, 3, 8, "each is simplified on its own")                 \
  LIMIT(kMapConstraints, "constraints of a map", 0, 3, 6, "few points satisfy many constraints")   \
  LIMIT(kMapDepth, "depth of an expression", 0, 4, 7, "the expression doubles with each level")    \
  LIMIT(kMapSize, "values of a variable", 1, 12, 200, "points multiply with each size")            \
  LIMIT(kChainSteps, "operations of a chain", 0, 4, 9, "ChainLimits::nodes stops a chain")         \
  LIMIT(kChainRank, "rank of the arrays of a chain", 1, 4, 6, "sizes multiply to the points")      \
  LIMIT(kChainStride, "stride of a slice, or interior padding of a pad", 1, 3, 8,                  \
        "sizes multiply with it")                                                                  \
  LIMIT(kRelatedDimensions, "dimensions of related expressions", 1, 2, 4,                          \
        "more variables share fewer terms")                                                        \
  LIMIT(kMutatedNodes, "nodes of a changed map", 1, 2000, 2000,                                    \
        "repeated changes would grow without end")                                                 \
  LIMIT(kRuleShapedResults, "rule-shaped expressions of a map", 1, 8, 16,                          \
        "each is simplified on its own")                                                           \
  LIMIT(kRelatedResults, "related expressions of a map", 0, 4, 8, "each is simplified on its own") \
  /* Requests of the judge (conform/suites) */                                                     \
  LIMIT(kListLength, "indices or offsets of a random request", 1, 8, 100,                          \
        "requests are lines that people read")                                                     \
  LIMIT(kAskedElements, "elements of an array of a module", 0, 60, 60,                             \
        "the reference enumerates every element, in both scopes")                                  \
  LIMIT(kAskedOperations, "operations of a module", 1, 5, 5,                                       \
        "the reference interprets all of them")                                                    \
  LIMIT(kAskedDepth, "depth of an expression of a map", 3, 5, 5, "the judge compares every point") \
  LIMIT(kAskedPoints, "points of the domain of a map", 1, 512, 512,                                \
        "the judge compares every point")                                                          \
  LIMIT(kAskedTileStride, "stride of a tile to propagate", 1, 4, 9, "the size of a dimension")     \
  LIMIT(kAskedTile, "size of a TLA tile", 0, 300, 5000, "a tile of each fractal, and larger ones")

namespace limits {

#define TILEPROOF_DECLARE_LIMIT(name, ...) inline constexpr Limit name{__VA_ARGS__};
TILEPROOF_LIMITS(TILEPROOF_DECLARE_LIMIT)
#undef TILEPROOF_DECLARE_LIMIT

}  // namespace limits
}  // namespace tileproof

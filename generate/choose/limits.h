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
// families (generate/hlo/bounded_hlo.h, ShapeFamily, conform/suites/map_family.h) state their own
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

// Every limit below, in order.
absl::Span<const Limit* const> all_limits();

namespace limits {

// ---- HLO (generate/hlo) ----

inline constexpr Limit kRank{"rank of an array", 0, 4, 6, "arrays have few elements"};
inline constexpr Limit kSize{"size of a dimension", 2, 4, 12, "arrays have few elements"};
inline constexpr Limit kNewDimensions{"dimensions that a broadcast adds", 0, 2, 4,
                                      "the rank of an array"};
inline constexpr Limit kNewSize{"size that a broadcast or a dot adds", 1, 4, 9,
                                "the size of a dimension"};
inline constexpr Limit kConcatenateOperands{"operands of a concatenate", 1, 3, 8,
                                            "each may be a parameter of its own"};
inline constexpr Limit kConcatenateSize{"size of an operand along a concatenate", 0, 3, 9,
                                        "the size of a dimension"};
inline constexpr Limit kVariadic{"arrays of a reduce, reduce-window or sort", 1, 3, 8,
                                 "each is asked about on its own, in both directions"};
inline constexpr Limit kScatterInputs{"arrays of a scatter", 1, 2, 6,
                                      "each has updates, and is asked about on its own"};
inline constexpr Limit kTupleParts{"parts of a tuple", 1, 2, 8, "each is asked about on its own"};
inline constexpr Limit kCallOperands{"operands of a custom-call", 1, 2, 5,
                                     "all of them reach every element"};
inline constexpr Limit kPadEdge{"padding, or cut, at an edge", 0, 3, 9, "the size of a dimension"};
inline constexpr Limit kPadInterior{"interior padding", 0, 2, 7, "the size of a dimension"};
inline constexpr Limit kStride{"stride of a slice or a window", 1, 3, 7,
                               "larger ones leave one element"};
inline constexpr Limit kWindow{"size of a window", 1, 3, 7, "windows are enumerated"};
inline constexpr Limit kWindowElements{"elements of a window", 1, 81, 81,
                                       "the reference visits all, for each element of a result"};
inline constexpr Limit kWindowPad{"padding, or cut, of a window", 0, 2, 7,
                                  "the size of a dimension"};
inline constexpr Limit kDilation{"dilation of a window", 1, 3, 6, "the size of a dimension"};
inline constexpr Limit kFreeDimensions{"free dimensions of the right side of a dot", 0, 2, 4,
                                       "the rank of an array"};
inline constexpr Limit kFeatures{"output features for each group of a convolution", 1, 2, 6,
                                 "arrays have few elements"};
inline constexpr Limit kBatchDimensions{"batch dimensions of a table of indices", 0, 2, 4,
                                        "the rank of an array"};
inline constexpr Limit kBatchSize{"size of a batch dimension", 1, 3, 9, "the size of a dimension"};
inline constexpr Limit kBatchingPairs{"batching dimensions of a gather or scatter that has some", 1,
                                      2, 3, "the rank of an array"};
inline constexpr Limit kGatherWindow{"size of a window that is gathered", 1, 3, 12,
                                     "the size of a dimension"};
inline constexpr Limit kReplicas{"replicas of a collective", 1, 3, 8, "the size of a dimension"};
inline constexpr Limit kBitcastTile{"size of a tile of a bitcast", 1, 4, 9,
                                    "padding must keep the array small"};
inline constexpr Limit kBitcastTileRank{"rank of a tile of a bitcast", 1, 2, 4,
                                        "the rank of an array"};
inline constexpr Limit kOperations{"operations of a computation", 1, 8, 8,
                                   "the reference interprets all of them"};
inline constexpr Limit kLoopMasks{"predicates that a loop carries", 0, 2, 2,
                                  "each is asked about on its own, and runs with the loop"};

// ---- Layouts (generate/layout) ----

inline constexpr Limit kShapeRank{"rank of a shape", 0, 4, 8, "sizes multiply to the magnitude"};
inline constexpr Limit kTiles{"tiles of a layout", 1, 3, 6, "padding multiplies with each tile"};
inline constexpr Limit kTileRank{"rank of a tile", 1, 6, 9, "padding multiplies with each size"};
inline constexpr Limit kTileSize{"size of a tile", 1, 300, 5000, "padding multiplies with it"};
inline constexpr Limit kTail{"alignment of the tail", 1, 2000, 1'000'000, "padding is enumerated"};
inline constexpr Limit kBlockedRank{"rank of a blocked format", 1, 5, 8,
                                    "sizes multiply to the magnitude"};
inline constexpr Limit kBlocks{"blocks of a blocked format", 0, 4, 8,
                               "padding multiplies with each block"};
inline constexpr Limit kNestedLeaves{"integers of a part of a nested layout", 1, 6, 12,
                                     "extents multiply to the magnitude"};
inline constexpr Limit kNestedDepth{"depth of a part of a nested layout", 1, 4, 7,
                                    "random_nesting also makes layouts 60 deep"};
inline constexpr Limit kNestedWidth{"elements of a tuple of a nested layout", 0, 3, 3,
                                    "random_nesting also makes tuples of 17"};
inline constexpr Limit kCompactParts{"parts of a tuple of a compact layout", 0, 4, 4,
                                     "three levels of four make 64 integers"};

// ---- Maps (generate/map) ----

inline constexpr Limit kMapDimensions{"dimensions of a map", 0, 3, 7,
                                      "points multiply with each size"};
inline constexpr Limit kMapRanges{"range variables of a map", 0, 2, 5,
                                  "points multiply with each size"};
inline constexpr Limit kMapRuntime{"runtime variables of a map", 0, 2, 5,
                                   "points multiply with each size"};
inline constexpr Limit kMapResults{"results of a map", 0, 3, 8, "each is simplified on its own"};
inline constexpr Limit kMapConstraints{"constraints of a map", 0, 3, 6,
                                       "few points satisfy many constraints"};
inline constexpr Limit kMapDepth{"depth of an expression", 0, 4, 7,
                                 "the expression doubles with each level"};
inline constexpr Limit kMapSize{"values of a variable", 1, 12, 200,
                                "points multiply with each size"};
inline constexpr Limit kChainSteps{"operations of a chain", 0, 4, 9,
                                   "ChainLimits::nodes stops a chain"};
inline constexpr Limit kChainRank{"rank of the arrays of a chain", 1, 4, 6,
                                  "sizes multiply to the points"};
inline constexpr Limit kChainStride{"stride of a slice, or interior padding of a pad", 1, 3, 8,
                                    "sizes multiply with it"};
inline constexpr Limit kRelatedDimensions{"dimensions of related expressions", 1, 2, 4,
                                          "more variables share fewer terms"};
inline constexpr Limit kMutatedNodes{"nodes of a changed map", 1, 2000, 2000,
                                     "repeated changes would grow without end"};
inline constexpr Limit kRuleShapedResults{"rule-shaped expressions of a map", 1, 8, 16,
                                          "each is simplified on its own"};
inline constexpr Limit kRelatedResults{"related expressions of a map", 0, 4, 8,
                                       "each is simplified on its own"};

// ---- Requests of the judge (conform/suites) ----

inline constexpr Limit kListLength{"indices or offsets of a random request", 1, 8, 100,
                                   "requests are lines that people read"};
inline constexpr Limit kAskedElements{"elements of an array of a module", 0, 60, 60,
                                      "the reference enumerates every element, in both scopes"};
inline constexpr Limit kAskedOperations{"operations of a module", 1, 5, 5,
                                        "the reference interprets all of them"};
inline constexpr Limit kAskedDepth{"depth of an expression of a map", 3, 5, 5,
                                   "the judge compares every point"};
inline constexpr Limit kAskedPoints{"points of the domain of a map", 1, 512, 512,
                                    "the judge compares every point"};
inline constexpr Limit kAskedTileStride{"stride of a tile to propagate", 1, 4, 9,
                                        "the size of a dimension"};
inline constexpr Limit kAskedTile{"size of a TLA tile", 0, 300, 5000,
                                  "a tile of each fractal, and larger ones"};

}  // namespace limits
}  // namespace tileproof

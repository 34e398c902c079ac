// The image of an indexing map: which elements of the other array it reaches at all, counted
// without looking at each.
//
//     { map(x) : x in the domain }           dimensions and ranges alike take all their values
//
// Results that have no variable in common, and that no condition ties together, take their values
// independently. So the image is a product of blocks, each the set of the values of one result, or
// of several that belong together, as row-major numbers:
//
//     (d0, d1)[s0] -> (d0 * 2, d1 floordiv 8, d1 mod 8 + s0 * 8)
//
//     {0, 2, ..}   x   the pairs of d1 floordiv 8 and d1 mod 8 + s0 * 8
//
// What is tried for a block, in this order: a variable that is cut by quotients and remainders at
// places that divide its range becomes its digits, which are independent; the values of one
// expression in closed form (impl/map/value_set.h), several results being one expression, their
// row-major number; and every point of the block's variables, where these are at most kMaxPoints
// (fewer of a map with many terms).
//
// Unions are counted by the sets that each number of a block is in, block after block.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/map/number_set.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

inline constexpr int64_t kMaxPoints = int64_t{1} << 20;
inline constexpr size_t kMaxImages = 64;  // of a union

struct Image {
  struct Block {
    std::vector<int32_t> results;  // rising
    NumberSet numbers;             // row-major, over the sizes of these results
  };
  std::vector<Block> blocks;  // each result is in one; none has no numbers
  bool empty = false;         // nothing is reached, there are no blocks
};

// Result i of the map is in [0, sizes[i]) over the domain. Errors: runtime variables; an image that
// is not counted (ResourceExhausted), which says why.
absl::StatusOr<Image> image_of(const IndexingMap& map, absl::Span<const int64_t> sizes,
                               int64_t max_points = kMaxPoints);

// How many elements at least one of the images has. Errors: not counted, also where more than so
// many sets of numbers of blocks are looked at.
absl::StatusOr<int64_t> union_size(absl::Span<const Image> images, absl::Span<const int64_t> sizes,
                                   int64_t max_steps = kMaxPoints);

// The values of one result in the union. Errors: not counted.
absl::StatusOr<NumberSet> union_along(absl::Span<const IndexingMap> maps, int32_t result,
                                      int64_t size);

}  // namespace tileproof::impl

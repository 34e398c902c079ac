// SPDX-License-Identifier: Apache-2.0
// The image of an indexing map: the elements of the other array that it reaches, counted without
// visiting each.
//
//     { map(x) : x in the domain }           dimensions and ranges both take all their values
//
// If results share no variable and no constraint connects them, they take their values
// independently. So the image is a product of blocks. Each block is the set of values of one
// result, or of several dependent ones, as row-major numbers:
//
//     (d0, d1)[s0] -> (d0 * 2, d1 floordiv 8, d1 mod 8 + s0 * 8)
//
//     {0, 2, ..}   x   the pairs of d1 floordiv 8 and d1 mod 8 + s0 * 8
//
// A block is computed by the first of these methods that succeeds:
//
//   - A variable whose quotients and remainders cut it at divisors of its range becomes its digits,
//     which are independent.
//   - The values of one expression have a closed form (impl/map/value_set.h). Several results are
//     one expression, their row-major number.
//   - Every point of the block's variables is enumerated, if these are at most kMaxPoints (fewer
//     for a map with many terms).
//
// If none does, and the map is linear over bits, its bits give the blocks (impl/access/image_bits.h).
//
// A union is counted block after block, by the subset of images that contain each number.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "impl/map/number_set.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

inline constexpr int64_t kMaxPoints = int64_t{1} << 20;
inline constexpr size_t kMaxImages = 64;  // in a union

struct Image {
  struct Block {
    std::vector<int32_t> results;  // rising
    NumberSet numbers;             // row-major, over the sizes of these results

    bool operator==(const Block&) const = default;
  };
  std::vector<Block> blocks;  // each result is in exactly one; no block is empty
  bool empty = false;         // no element is reached, and there are no blocks

  bool operator==(const Image&) const = default;
};

// Result i of the map is in [0, sizes[i]) over the domain. Errors: runtime variables;
// ResourceExhausted, with the reason, if the image is not counted.
absl::StatusOr<Image> image_of(const IndexingMap& map, absl::Span<const int64_t> sizes,
                               int64_t max_points = kMaxPoints);

// The number of elements in at least one of the images. Errors: ResourceExhausted if it is not
// counted, also if the limit on sets of numbers of blocks is exceeded.
absl::StatusOr<int64_t> union_size(absl::Span<const Image> images, absl::Span<const int64_t> sizes,
                                   int64_t max_steps = kMaxPoints);

// The values of one result in the union. Errors: ResourceExhausted if they are not counted.
absl::StatusOr<NumberSet> union_along(absl::Span<const IndexingMap> maps, int32_t result,
                                      int64_t size);

// The results of a map in digits, which may have a closed form where the results have none.
//
//     (r, c) -> (r * 102400 + c * 3), domain: r in [0, 9999], c in [0, 99]
//
// has 1,000,000 values in as many pieces. c * 3 stays below 102400. So the result is a number of
// two independent digits: its quotient by 102400 is r, and its remainder is c * 3.

// The digit (result mod modulus) floordiv divisor. The first digit of a result has no modulus, 0;
// the last one has the divisor 1.
struct ResultDigit {
  int32_t result;
  int64_t modulus;
  int64_t divisor;
  int64_t size;  // the digit is in [0, size)
};

struct MapInDigits {
  IndexingMap map;  // a result for each digit
  std::vector<ResultDigit> digits;
};

// The map with the digits of each result in its place, where result i is in [0, sizes[i]). A result
// is cut before each of its terms whose factor exceeds all that smaller terms add up to. Numbers
// and their digits are one-to-one, whatever the cuts are: the digits take as many values.
MapInDigits in_digits_of_results(const IndexingMap& map, absl::Span<const int64_t> sizes);

}  // namespace tileproof::impl

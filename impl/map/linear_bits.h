// SPDX-License-Identifier: Apache-2.0
// Maps that are linear over bits: each bit of a result is the exclusive or of bits of variables.
//
//     (i, j) -> (i * 64 + (j xor (i mod 8) * 8)), domain: i in [0, 99], j in [0, 63]
//
//     bits 0 to 2 of the result      those of j
//     bits 3 to 5                    those of j, each with that of i three places lower
//     bits 6 to 12                   those of i
//
// So is every swizzle of words, and every map whose sizes and factors are powers of two and whose
// terms do not overlap. A number of values that is no power of two, 100 of i, takes part as the next
// power of two does; the bounds cut it.
//
// Elimination turns such a map around, or says that two points meet. Source: "Linear Layouts"
// (arXiv 2505.23819), section 4.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The exclusive or of some of the bits of all variables, which are numbered from bit 0 of the first
// dimension on; bit kOne stands for 1.
using BitSum = uint64_t;
inline constexpr int kOne = 62;

struct LinearBits {
  std::vector<int> variables;                // how many bits each has: dimensions, then ranges
  std::vector<std::vector<BitSum>> results;  // by bit, the lowest first; the highest is not 0
};

// Nothing for a map with constraints, runtime variables or bounds that do not begin at 0; one of more
// than 62 bits; one that is not seen to be linear.
std::optional<LinearBits> linear_bits_of(const IndexingMap& map);

// The inverse, whose results are sums of bits. Nothing for a map that is not linear over bits, or not
// one-to-one.
std::optional<IndexingMap> invert_bits(const IndexingMap& map);

}  // namespace tileproof::impl

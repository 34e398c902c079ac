// SPDX-License-Identifier: Apache-2.0
// The results of a map in digits, which may have a closed form where the results have none.
//
//     (r, c) -> (r * 102400 + c * 3), domain: r in [0, 9999], c in [0, 99]
//
// has 1,000,000 values in as many pieces. c * 3 stays below 102400. So the result is a number of
// two independent digits: its quotient by 102400 is r, and its remainder is c * 3.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

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

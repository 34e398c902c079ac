// SPDX-License-Identifier: Apache-2.0
// Layouts of threads as digits of the coordinates of a place, for sizes of any kind.
//
//     tv:((4,8),(2,2)):((32,1),(16,8)):f32[16,8]
//         number  (lane mod 4) * 32 + lane floordiv 4 + (register mod 2) * 16 + (register floordiv 2) * 8
//         index   (number mod 16, number floordiv 16)
//     TiledLayout(..)      a digit is a part of one dimension of the array
//
// If all sizes are powers of two, and no digits meet in a bit, sums are exclusive or.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/layout/thread_form.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// ((coordinate floordiv divisor) mod size) * weight
struct PlaceDigit {
  size_t coordinate = 0;  // 0: register, 1: lane, 2: warp
  int64_t divisor = 1, size = 1;
  size_t dimension = 0;  // 0 if the digits give the number of the element
  int64_t weight = 0;
};

struct PlaceDigits {
  Dims dims;
  Place sizes = {1, 1, 1, 1};
  bool is_number = false;  // the first dimension counts fastest
  std::vector<PlaceDigit> digits;
};

PlaceDigits digits_of(const ThreadValueEncoding& encoding, const Dims& dims);
PlaceDigits digits_of(const TiledEncoding& encoding, const Dims& dims);

IndexingMap map_of(const PlaceDigits& digits);

// Nothing if a size is no power of two, or two digits meet in a bit.
std::optional<ThreadForm> form_of(const PlaceDigits& digits);

}  // namespace tileproof::impl

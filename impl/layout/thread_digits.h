// SPDX-License-Identifier: Apache-2.0
// Layouts of threads as digits of a register and of a thread, for sizes of any kind.
//
//     tv:((4,8),(2,2)):((32,1),(16,8)):f32[16,8]
//         number  (thread mod 4) * 32 + thread floordiv 4 + (register mod 2) * 16 + (register floordiv 2) * 8
//         index   (number mod 16, number floordiv 16)
//     TiledLayout(..)      a digit is a part of one dimension of the array
//
// A thread is warp * 32 + lane. If all sizes are powers of two, and no two digits meet in a bit of a
// sum, the sums are exclusive or.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/layout/thread_form.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// ((coordinate floordiv divisor) mod size) * weight
struct PlaceDigit {
  bool is_of_thread = false;  // else of the register
  int64_t divisor = 1, size = 1;
  size_t dimension = 0;  // 0 if the digits give the number of the element
  int64_t weight = 1;
};

struct PlaceDigits {
  Dims dims;
  bool is_number = false;  // the first dimension counts fastest
  int64_t registers = 1, threads = 1;
  std::vector<PlaceDigit> digits;
};

PlaceDigits digits_of(const ThreadValueEncoding& encoding, const Dims& dims);
PlaceDigits digits_of(const TiledEncoding& encoding, const Dims& dims);

IndexingMap map_of(const PlaceDigits& digits);

// The index that a place holds.
Dims held_at(const PlaceDigits& digits, const Place& place);

// Nothing if a size is no power of two, or two digits meet in a bit.
std::optional<ThreadForm> form_of(const PlaceDigits& digits);

// The layout (T, V) of CuTe. Errors, all FailedPrecondition: several blocks, warps of other than 32
// lanes, or two bases that meet in a bit, which it names.
absl::StatusOr<tileproof::NestedLayout> to_thread_values(const ThreadForm& form);

}  // namespace tileproof::impl

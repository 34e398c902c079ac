// SPDX-License-Identifier: Apache-2.0
// Which elements of an array single elements of a result read: indexing maps, evaluated by their
// definition.
//
//     maps {(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 3], s0 in [0, 1]}, array [8]
//     reads({3})      {6, 7}
//
// Runtime variables have their least value.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::picture {

// The limit on evaluated points of one picture.
inline constexpr int64_t kMostPoints = int64_t{1} << 20;

// The row-major number of an element; nothing if the index is outside of the array.
std::optional<int64_t> number_of(const Dims& index, const Dims& dims);

// One array that is read, and the maps to its elements, which stand for their union.
struct ReadArray {
  std::string name;  // "operand 0, p"
  Dims dims;
  std::vector<IndexingMap> maps;
  std::string note = {};  // shown below the name
};

class Reader {
 public:
  explicit Reader(const ReadArray& array);

  // Row-major numbers of the elements that one element of the result reads. Errors: maps of another
  // rank; an index outside of the array; more than kMostPoints points in all calls.
  absl::StatusOr<std::set<int64_t>> reads(const Dims& result);

  // "rt0 = 0" for maps with runtime variables, or "".
  std::string assumed() const;

 private:
  std::vector<IndexingMap> maps_;  // with one value for each dimension and runtime variable
  Dims dims_;
  int64_t points_left_ = kMostPoints;
};

// How many elements of the result read each element of the array, by row-major number. Errors as
// above.
absl::StatusOr<std::vector<int64_t>> times_read(const ReadArray& array, const Dims& result);

}  // namespace tileproof::picture

// Reference against closed form, for nested layouts: the one comparison that every test and
// campaign of nested layouts uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::verify {

// What was compared; a difference is an error status whose message can be pasted back.
struct NestedComparison {
  int64_t layouts = 0;
  int64_t coordinates = 0;
  int64_t refused = 0;   // coordinates that both refuse
  int64_t offsets = 0;   // the way back
  int64_t given_up = 0;  // of these: the search of the closed form was

  NestedComparison& operator+=(const NestedComparison& other);
};
std::string to_text(const NestedComparison& compared);

// Size, cosize, and the offset of every integer coordinate and the first coordinate of every
// offset, where these are at most `max_positions`; at `samples` random coordinates in any case.
absl::StatusOr<NestedComparison> compare_nested(const NestedLayout& layout, int64_t max_positions,
                                                int64_t samples, Choose& choose);

// One coordinate. True: both have its offset; false: both refuse it.
absl::StatusOr<bool> compare_offset(const NestedLayout& layout, const Coordinate& coordinate);

// MakeLayout and MakeLayoutTile: the same layout, or both refuse.
absl::Status compare_make(Tag tag, int64_t element_bits, int64_t rows, int64_t cols);
absl::Status compare_tile(const NestedLayout& layout, const std::vector<int64_t>& tile);

}  // namespace tileproof::verify

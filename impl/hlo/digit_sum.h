// SPDX-License-Identifier: Apache-2.0
// A table of integers as a sum over the digits of the position.
//
//     {0, 4, 1, 5, 2, 6, 3, 7}      (x mod 2) * 4 + x floordiv 2
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "impl/map/map_builder.h"

namespace tileproof::impl {

class DigitSum {
 public:
  // Of table[x] for x in [0, size). Nothing if it is no such sum, or has no entries.
  static std::optional<DigitSum> of(absl::Span<const int64_t> table);
  NodeId at(MapBuilder& m, NodeId x) const;

 private:
  // step * ((x floordiv weight) mod size)
  struct Digit {
    int64_t weight, size, step;
  };
  int64_t value(int64_t x) const;

  std::vector<Digit> digits_;  // minor first
  int64_t constant_ = 0;
};

}  // namespace tileproof::impl

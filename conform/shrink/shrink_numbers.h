// SPDX-License-Identifier: Apache-2.0
// Numbers that the steps of shrinking try.
#pragma once

#include <cstdint>
#include <vector>

namespace tileproof::conform {

// Smaller numbers to try in place of n, the simplest first: shrink_numbers(100, 0) is 0, 1, 50, 75,
// 88, 94, 97, 99. None if n <= least, for example for a `*` in a tile.
inline std::vector<int64_t> shrink_numbers(int64_t n, int64_t least) {
  std::vector<int64_t> result;
  if (n <= least) return result;
  const auto add = [&](int64_t candidate) {
    if (candidate >= least && candidate < n) result.push_back(candidate);
  };
  for (int64_t candidate : {least, least + 1, n / 2}) add(candidate);
  for (int64_t limit : {int64_t{1} << 31, int64_t{1} << 32}) add(limit);
  for (int64_t step = n / 4; step > 1; step /= 2) add(n - step);  // finds a threshold in few steps
  add(n - 1);
  return result;
}

}  // namespace tileproof::conform

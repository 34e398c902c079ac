// What the steps of shrinking share.
#pragma once

#include <cstdint>
#include <vector>

namespace tileproof::conform {

// Numbers to try in place of n, the simplest first. None for what is below `least`: a star, -1.
inline std::vector<int64_t> simpler_numbers(int64_t n, int64_t least) {
  std::vector<int64_t> result;
  if (n <= least) return result;
  for (int64_t candidate : {least, least + 1, n / 2, n - 1}) {
    if (candidate >= least && candidate < n) result.push_back(candidate);
  }
  return result;
}

}  // namespace tileproof::conform

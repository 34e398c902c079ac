// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/least_difference.h"

#include <chrono>
#include <optional>

#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {
namespace {

using Clock = ThreadCpuClock;
using Index = std::vector<int64_t>;

// Limits of one step.
const EqualOptions kStep = {.milliseconds = 200,
                            .enumerated = 20'000,
                            .sampled_points = 64,
                            .normal_forms = false,
                            .smtlib_directory = ""};

}  // namespace

std::vector<int64_t> least_difference(const LayoutFunction& left, const LayoutFunction& right,
                                      std::vector<int64_t> index, int64_t milliseconds) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  IndexingMap a = offset_map(left), b = offset_map(right);
  // A difference with the coordinates of `index` before d, and coordinate d in the interval.
  const auto difference_in = [&](size_t d, Interval interval) -> std::optional<Index> {
    a.dimensions[d].bounds = b.dimensions[d].bounds = interval;
    const absl::StatusOr<MapEquality> equality = equal(a, b, kStep);
    if (!equality.ok() || !equality->difference) return std::nullopt;
    return equality->difference->at.dims;
  };
  for (size_t d = 0; d < index.size(); ++d) {
    int64_t low = 0;
    for (int64_t last = 0; low < index[d] && Clock::now() < deadline;) {  // 0 alone is tried first
      if (std::optional<Index> found = difference_in(d, {low, last})) {
        index = *std::move(found);
      } else {
        low = last + 1;
      }
      last = low + (index[d] - low) / 2;
    }
    a.dimensions[d].bounds = b.dimensions[d].bounds = {index[d], index[d]};
  }
  return index;
}

}  // namespace tileproof::verify

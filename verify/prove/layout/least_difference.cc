// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/least_difference.h"

#include <algorithm>
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

std::vector<int64_t> least_difference(const spec::LayoutFunction& left,
                                      const spec::LayoutFunction& right, std::vector<int64_t> index,
                                      int64_t milliseconds) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  IndexingMap a = offset_map(left), b = offset_map(right);
  // A difference in the part of the array that the bounds of the maps describe.
  const auto difference = [&]() -> std::optional<Index> {
    const absl::StatusOr<MapEquality> equality = equal(a, b, kStep);
    if (!equality.ok() || !equality->difference) return std::nullopt;
    return equality->difference->at.dims;
  };
  const auto bound = [&](size_t d, Interval interval) {
    a.dimensions[d].bounds = b.dimensions[d].bounds = interval;
  };
  // The greatest coordinate is at least `low`. `last` grows from 0, then bisects.
  const auto greatest = [](const Index& x) { return *std::max_element(x.begin(), x.end()); };
  const auto bound_all = [&](int64_t last) {
    for (size_t d = 0; d < index.size(); ++d) bound(d, {0, std::min(last, left.dims[d] - 1)});
  };
  if (index.empty()) return index;
  for (int64_t low = 0, last = 0; low < greatest(index) && Clock::now() < deadline;) {
    bound_all(last);
    if (std::optional<Index> found = difference()) {
      index = *std::move(found);
    } else {
      low = last + 1;
    }
    last = low + std::min(low, (greatest(index) - low) / 2);
  }
  bound_all(greatest(index));
  for (size_t d = 0; d < index.size(); ++d) {
    int64_t low = 0;
    for (int64_t last = 0; low < index[d] && Clock::now() < deadline;) {  // 0 alone is tried first
      bound(d, {low, last});
      if (std::optional<Index> found = difference()) {
        index = *std::move(found);
      } else {
        low = last + 1;
      }
      last = low + (index[d] - low) / 2;
    }
    bound(d, {index[d], index[d]});
  }
  return index;
}

}  // namespace tileproof::verify

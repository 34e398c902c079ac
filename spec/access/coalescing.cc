// SPDX-License-Identifier: Apache-2.0
#include "spec/access/coalescing.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/layout/tiled_layout.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::spec {
namespace {

constexpr absl::string_view kNames[] = {"th_x", "th_y", "th_z", "bl_x", "bl_y", "bl_z"};

// Identifies an access, apart from the ranges of the access map: the warp, the block, and the
// ranges of the thread map.
using AccessId = std::vector<int64_t>;

absl::Status does_not_fit(size_t results) {
  return absl::InvalidArgumentError(
      absl::StrCat("access map: expected ", results, " results and no runtime variables"));
}

// Adds the element at an offset, of so many bits.
void add(Touched& touched, int64_t offset, int64_t bits, int64_t width) {
  touched.offsets.insert(offset);
  const auto first = absl::int128{offset} * bits;
  for (auto piece = first / (8 * width); piece <= (first + bits - 1) / (8 * width); ++piece) {
    touched.pieces.insert(piece);
  }
}

using ThreadDimensions = std::array<int32_t, 6>;

// The result indices of threads that run together, grouped by warp, block and iteration.
using Together = std::map<AccessId, std::vector<std::vector<int64_t>>>;

absl::StatusOr<Together> threads_together(const IndexingMap& threads,
                                          const ThreadDimensions& dimensions, int64_t warp,
                                          int64_t budget) {
  Together together;
  const absl::Status status =
      for_each_point(threads, budget, [&](const Point& point, const std::vector<int64_t>& index) {
        int64_t number = 0;  // of the thread in its block
        for (int d = 2; d >= 0; --d) {
          if (dimensions[d] < 0) continue;
          const int64_t size = threads.dimensions[dimensions[d]].bounds.high + 1;
          number = number * size + point.dims[dimensions[d]];
        }
        AccessId id = {number / warp};
        for (int d = 3; d < 6; ++d) {
          if (dimensions[d] >= 0) id.push_back(point.dims[dimensions[d]]);
        }
        id.insert(id.end(), point.ranges.begin(), point.ranges.end());
        together[id].push_back(index);
        return true;
      });
  if (!status.ok()) return status;
  return together;
}

// The array, how it is accessed, and the work that may still be done.
struct ArrayAccess {
  const IndexingMap& map;
  const TiledLayout& layout;
  int64_t bits;  // of one element
  int64_t width;
  int64_t budget;  // points, and further transactions of elements wider than one
};

// One access: the threads with these indices, at these values of the access map's ranges.
absl::StatusOr<Touched> touched_by(const std::vector<std::vector<int64_t>>& indices,
                                   const Point& ranges, ArrayAccess& access) {
  Touched touched;
  std::vector<int64_t> runtime;
  for (const Variable& variable : access.map.runtime) runtime.push_back(variable.bounds.low);
  for (const std::vector<int64_t>& index : indices) {
    access.budget -= 1 + access.bits / 8 / access.width;
    if (access.budget < 0) return absl::ResourceExhaustedError("too many points to enumerate");
    const auto element = TRY(evaluate(access.map, {index, ranges.ranges, runtime}));
    if (!element) continue;
    add(touched, TRY(linearize(access.layout, *element)), access.bits, access.width);
  }
  return touched;
}

}  // namespace

absl::StatusOr<std::array<int32_t, 6>> thread_dimensions(const IndexingMap& threads) {
  std::array<int32_t, 6> dimensions = {-1, -1, -1, -1, -1, -1};
  if (!threads.runtime.empty()) {
    return absl::InvalidArgumentError("thread map: expected no runtime variables");
  }
  const bool named = std::ranges::any_of(
      threads.dimensions, [](const Variable& variable) { return !variable.name.empty(); });
  if (!named && !threads.dimensions.empty() && threads.dimensions.size() != 6) {
    return absl::InvalidArgumentError(
        absl::StrCat("thread map: expected six dimensions, or the names th_x, .., bl_z, found ",
                     threads.dimensions.size(), " dimensions without these names"));
  }
  for (int32_t d = 0; d < std::ssize(threads.dimensions); ++d) {
    const std::string& name = threads.dimensions[d].name;
    const auto position = named ? std::ranges::find(kNames, name) - kNames : d;
    if (position == 6) {
      return absl::InvalidArgumentError(
          absl::StrCat("thread map: expected th_x, th_y, th_z, bl_x, bl_y or bl_z, found '",
                       name_of(threads, Op::kDimension, d), "'"));
    }
    if (position < 3 && threads.dimensions[d].bounds.low != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("thread map: expected bounds of ", kNames[position], " that begin with 0"));
    }
    dimensions[position] = d;
  }
  return dimensions;
}

absl::Status for_each_access(const IndexingMap& threads, const IndexingMap& access,
                             const Shape& array, const Warps& warps, int64_t budget,
                             absl::FunctionRef<void(const Touched& touched)> visit) {
  const auto dimensions = TRY(thread_dimensions(threads));
  const TiledLayout layout = TRY(tiled_layout(array));
  if (warps.warp < 1 || warps.width < 1) {
    return absl::InvalidArgumentError("expected a warp and a width of at least 1");
  }
  if (threads.known_empty || access.known_empty) return absl::OkStatus();
  if (threads.results.size() != access.dimensions.size()) {
    return absl::InvalidArgumentError(absl::StrCat("thread map: expected ",
                                                   access.dimensions.size(), " results, found ",
                                                   threads.results.size()));
  }
  if (access.results.size() != layout.logical().size()) {
    return does_not_fit(layout.logical().size());
  }
  const auto together = TRY(threads_together(threads, dimensions, warps.warp, budget));
  IndexingMap iterations;  // one point for each value of the ranges; the dimensions do not matter
  iterations.ranges = access.ranges;
  ArrayAccess of{access, layout, bits_of_element(array), warps.width, budget};
  absl::Status status;
  for (const auto& group : together) {
    TRY(for_each_box_point(iterations, budget, [&](const Point& ranges) {
      const absl::StatusOr<Touched> touched = touched_by(group.second, ranges, of);
      status = touched.status();
      if (touched.ok() && !touched->offsets.empty()) visit(*touched);
      return status.ok();
    }));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<TransactionCounts> count_transactions(const IndexingMap& threads,
                                                     const IndexingMap& access, const Shape& array,
                                                     const Warps& warps, int64_t budget) {
  if (!access.runtime.empty()) {
    return does_not_fit(array.dimensions.size());
  }
  TransactionCounts counts;
  TRY(for_each_access(threads, access, array, warps, budget, [&](const Touched& touched) {
    ++counts.accesses;
    counts.transactions += std::ssize(touched.pieces);
    counts.most = std::max<int64_t>(counts.most, std::ssize(touched.pieces));
    counts.elements += std::ssize(touched.offsets);
  }));
  return counts;
}

}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// Sizes of results. checked_op and the inference of missing shapes both use these functions, so
// that each size has one definition.
//
// The templates take sizes (Dims) or dimensions with their bounds (Shape::dimensions).
//
// A function returns nothing if its answer does not fit 63 bits, or if the attributes fit no array.
// Private to spec/lang. Source: XLA operation semantics.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/numeric/int128.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/hlo_attributes.h"

namespace tileproof {

// [2:9:3] takes 3 elements: 2, 5 and 8.
inline std::optional<int64_t> sliced_size(const SliceLimits& limits) {
  const std::optional<int64_t> length = checked_sub(limits.limit, limits.start);
  if (!length || *length < 0 || limits.stride < 1) return std::nullopt;
  return *length == 0 ? 0 : (*length - 1) / limits.stride + 1;
}

// 9 elements, padding=1_2_3: 1 + 9 + 8 * 3 + 2 = 36. Negative if the padding removes more elements
// than there are. The position of the last element must fit 63 bits, too.
inline std::optional<int64_t> padded_size(const PadLimits& limits, int64_t size) {
  const std::optional<int64_t> step = checked_add(limits.interior, 1);
  const auto span = step ? checked_mul(std::max<int64_t>(size - 1, 0), *step) : std::nullopt;
  const auto last = span ? checked_add(limits.low, *span) : std::nullopt;
  const auto end = last ? checked_add(*last, size > 0 ? 1 : 0) : std::nullopt;
  return end ? checked_add(*end, limits.high) : std::nullopt;
}

// The number of positions of a window over `size` elements: 9 elements, window={size=3 stride=2
// pad=1_1} gives 5. The dilated and padded size must fit 63 bits, too.
inline std::optional<int64_t> window_positions(const WindowDimension& w, int64_t size) {
  const absl::int128 dilated = size == 0 ? 0 : absl::int128(size - 1) * w.lhs_dilate + 1;
  const absl::int128 padded = dilated + w.pad_low + w.pad_high;
  const absl::int128 reach = absl::int128(w.size - 1) * w.rhs_dilate + 1;
  if (std::max({dilated, padded, reach}) > INT64_MAX || w.pad_low == INT64_MIN) return std::nullopt;
  return padded < reach ? 0 : static_cast<int64_t>((padded - reach) / w.stride) + 1;
}

// The size of a concatenation along its dimension.
inline std::optional<int64_t> concatenated_size(const Dims& sizes) {
  std::optional<int64_t> whole = 0;
  for (const int64_t size : sizes) {
    if (whole) whole = checked_add(*whole, size);
  }
  return whole;
}

// The dimensions below `rank` that are in neither list, ascending.
inline std::vector<int64_t> others(int64_t rank, const std::vector<int64_t>& a,
                                   const std::vector<int64_t>& b = {}) {
  std::vector<int64_t> result;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::ranges::count(a, d) + std::ranges::count(b, d) == 0) result.push_back(d);
  }
  return result;
}

inline std::vector<int64_t> joined(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The dimensions of these numbers, which are below the rank.
template <class D>
std::vector<D> selected(const std::vector<D>& dimensions, const std::vector<int64_t>& numbers) {
  std::vector<D> result;
  for (const int64_t d : numbers) result.push_back(dimensions[d]);
  return result;
}

// The result of a dot: the batch, then the dimensions of each side that are neither batch nor
// contracting. The numbers are below the ranks.
template <class D>
std::vector<D> dot_dimensions(const std::vector<D>& lhs, const std::vector<D>& rhs,
                              const DotDimensionNumbers& n) {
  std::vector<D> result = selected(lhs, n.lhs_batch);
  for (const D& d : selected(lhs, others(std::ssize(lhs), n.lhs_batch, n.lhs_contracting))) {
    result.push_back(d);
  }
  for (const D& d : selected(rhs, others(std::ssize(rhs), n.rhs_batch, n.rhs_contracting))) {
    result.push_back(d);
  }
  return result;
}

// The result of a gather: the dimensions `window` are at the positions `window_dims`, and the
// dimensions `batch` at the others. Nothing if there are not as many positions as dimensions.
//
//     batch {5, 6}, window {4, 3}, window_dims {1, 3}      {5, 4, 6, 3}
template <class D>
std::optional<std::vector<D>> interleaved(const std::vector<D>& batch, const std::vector<D>& window,
                                          const std::vector<int64_t>& window_dims) {
  std::vector<D> result;
  size_t next_batch = 0, next_window = 0;
  for (size_t d = 0; d < batch.size() + window.size(); ++d) {
    const bool is_window = std::ranges::count(window_dims, static_cast<int64_t>(d)) > 0;
    const std::vector<D>& from = is_window ? window : batch;
    size_t& next = is_window ? next_window : next_batch;
    if (next == from.size()) return std::nullopt;
    result.push_back(from[next++]);
  }
  return result;
}

}  // namespace tileproof

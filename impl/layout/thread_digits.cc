// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/thread_digits.h"

#include <algorithm>
#include <bit>
#include <string>

namespace tileproof::impl {
namespace {

enum : size_t { kRegisters, kLanes, kWarps };

// Appends digits to a coordinate, the fastest one first. Those of weight 0 are copies.
class DigitBuilder {
 public:
  explicit DigitBuilder(PlaceDigits& result) : result_(result) {}

  void count(size_t coordinate, int64_t size, size_t dimension, int64_t weight) {
    int64_t& so_far = result_.sizes[coordinate];
    if (size > 1 && weight > 0)
      result_.digits.push_back({coordinate, so_far, size, dimension, weight});
    so_far *= size;
  }

 private:
  PlaceDigits& result_;
};

// Cuts the digits of a coordinate at `bound`: what is above belongs to the next coordinate. Only for
// threads, whose lanes are the first 32. A digit that crosses is two.
void split_threads(PlaceDigits& result) {
  constexpr int64_t kWarpSize = 32;
  const int64_t threads = result.sizes[kLanes];
  if (threads <= kWarpSize || threads % kWarpSize != 0) return;
  std::vector<PlaceDigit> split;
  for (PlaceDigit digit : result.digits) {
    const int64_t end = digit.divisor * digit.size;
    if (digit.coordinate != kLanes || end <= kWarpSize) {
      split.push_back(digit);
      continue;
    }
    if (digit.divisor < kWarpSize) {
      PlaceDigit low = digit;
      low.size = kWarpSize / digit.divisor;
      split.push_back(low);
      digit.weight *= low.size;
      digit.size /= low.size;
      digit.divisor = kWarpSize;
    }
    digit.coordinate = kWarps;
    digit.divisor /= kWarpSize;
    split.push_back(digit);
  }
  result.digits = std::move(split);
  result.sizes[kLanes] = kWarpSize;
  result.sizes[kWarps] = threads / kWarpSize;
}

// Whether the first 32 threads end at a digit, or cut one into equal parts.
bool is_cut_evenly(const PlaceDigits& result) {
  return std::ranges::all_of(result.digits, [](const PlaceDigit& digit) {
    const bool crosses =
        digit.coordinate == kLanes && digit.divisor < 32 && digit.divisor * digit.size > 32;
    return !crosses || (32 % digit.divisor == 0 && digit.size % (32 / digit.divisor) == 0);
  });
}

}  // namespace

PlaceDigits digits_of(const ThreadValueEncoding& encoding, const Dims& dims) {
  PlaceDigits result{dims, {1, 1, 1, 1}, true, {}};
  DigitBuilder builder(result);
  for (const size_t coordinate : {kLanes, kRegisters}) {
    const NestedLayout part = mode(encoding.layout, coordinate == kLanes ? 0 : 1);
    const std::vector<int64_t> extents = leaves(part.shape), strides = leaves(part.stride);
    for (size_t i = 0; i < extents.size(); ++i)
      builder.count(coordinate, extents[i], 0, strides[i]);
  }
  if (is_cut_evenly(result)) split_threads(result);
  return result;
}

PlaceDigits digits_of(const TiledEncoding& encoding, const Dims& dims) {
  // Each dimension of the tiled array counts parts of one dimension of the array.
  struct Part {
    size_t dimension;
    int64_t size, weight;
  };
  std::vector<Part> parts;
  for (size_t d = 0; d < dims.size(); ++d) parts.push_back({d, dims[d], 1});
  for (const Dims& tile : encoding.tiles) {
    const size_t first = parts.size() - tile.size();
    for (size_t i = 0; i < tile.size(); ++i) {
      const Part whole = parts[first + i];
      parts[first + i] = {whole.dimension, whole.size / tile[i], whole.weight * tile[i]};
      parts.push_back({whole.dimension, tile[i], whole.weight});
    }
  }
  PlaceDigits result{dims, {1, 1, 1, 1}, false, {}};
  DigitBuilder builder(result);
  std::vector<bool> is_taken(parts.size());
  const auto count = [&](size_t coordinate, size_t i) {
    builder.count(coordinate, parts[i].size, parts[i].dimension, parts[i].weight);
    is_taken[i] = true;
  };
  const auto place = [&](int64_t negative) { return parts.size() + static_cast<size_t>(negative); };
  const auto count_all = [&](size_t coordinate, const std::vector<ThreadDimension>& dimensions) {
    for (size_t i = dimensions.size(); i-- > 0;) {
      if (dimensions[i].copies > 0) {
        builder.count(coordinate, dimensions[i].copies, 0, 0);
      } else {
        count(coordinate, place(dimensions[i].number));
      }
    }
  };
  count_all(kWarps, encoding.warps);
  count_all(kLanes, encoding.lanes);
  count(kRegisters, place(encoding.vector));
  for (size_t i = parts.size(); i-- > 0;) {
    if (!is_taken[i]) count(kRegisters, i);
  }
  return result;
}

IndexingMap map_of(const PlaceDigits& digits) {
  IndexingMap map;
  ExprTable& nodes = map.nodes;
  for (size_t i = 0; i < 4; ++i)
    map.dimensions.push_back({{0, digits.sizes[i] - 1}, std::string(kPlaceNames[i])});
  const auto by = [&nodes](Op op, NodeId x, int64_t n) {
    return add_operation(nodes, op, x, add_constant(nodes, n));
  };
  const size_t rank = digits.is_number ? 1 : digits.dims.size();
  std::vector<NodeId> sums(rank, -1);
  for (const auto& [coordinate, divisor, size, dimension, weight] : digits.digits) {
    NodeId term = add_variable(nodes, Op::kDimension, static_cast<int64_t>(coordinate));
    if (divisor > 1) term = by(Op::kFloorDiv, term, divisor);
    if (divisor * size < digits.sizes[coordinate]) term = by(Op::kMod, term, size);
    if (weight > 1) term = by(Op::kMul, term, weight);
    NodeId& sum = sums[dimension];
    sum = sum < 0 ? term : add_operation(nodes, Op::kAdd, sum, term);
  }
  for (NodeId& sum : sums) {
    if (sum < 0) sum = add_constant(nodes, 0);
  }
  if (!digits.is_number) {
    map.results = sums;
    return map;
  }
  NodeId number = sums[0];
  for (size_t d = 0; d < digits.dims.size(); ++d) {
    const bool is_last = d + 1 == digits.dims.size();
    map.results.push_back(is_last ? number : by(Op::kMod, number, digits.dims[d]));
    if (!is_last) number = by(Op::kFloorDiv, number, digits.dims[d]);
  }
  return map;
}

std::optional<ThreadForm> form_of(const PlaceDigits& digits) {
  const auto is_power = [](int64_t x) { return std::has_single_bit(static_cast<uint64_t>(x)); };
  if (!std::ranges::all_of(digits.dims, is_power) || !std::ranges::all_of(digits.sizes, is_power))
    return std::nullopt;
  // Where the bits of each dimension begin in the index, and in the sums of digits.
  ThreadForm form{digits.dims, {}};
  std::vector<int> in_index(digits.dims.size()), in_number(digits.dims.size());
  const auto bits = [&](size_t d) {
    return std::countr_zero(static_cast<uint64_t>(digits.dims[d]));
  };
  for (size_t d = digits.dims.size(); d-- > 1;) in_index[d - 1] = in_index[d] + bits(d);
  for (size_t d = 1; d < digits.dims.size(); ++d) in_number[d] = in_number[d - 1] + bits(d - 1);
  for (size_t i = 0; i < 4; ++i)
    form.bases[i].resize(std::countr_zero(static_cast<uint64_t>(digits.sizes[i])));
  std::vector<uint64_t> met(digits.dims.size());  // bits of the sum of each dimension
  for (const auto& [coordinate, divisor, size, dimension, weight] : digits.digits) {
    if (!is_power(divisor) || !is_power(size)) return std::nullopt;
    const int first = std::countr_zero(static_cast<uint64_t>(divisor));
    for (int k = 0; (int64_t{1} << k) < size; ++k) {
      const uint64_t value = static_cast<uint64_t>(weight) << k;
      if ((met[dimension] & value) != 0) return std::nullopt;
      met[dimension] |= value;
      uint64_t basis = digits.is_number ? 0 : value << in_index[dimension];
      for (size_t d = 0; digits.is_number && d < digits.dims.size(); ++d) {
        const uint64_t part = (value >> in_number[d]) & static_cast<uint64_t>(digits.dims[d] - 1);
        basis |= part << in_index[d];
      }
      form.bases[coordinate][first + k] = basis;
    }
  }
  return form;
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/thread_digits.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/lang/base/dims.h"

namespace tileproof::impl {
namespace {

constexpr int64_t kWarpSize = 32;

int64_t lanes_of(int64_t threads) { return threads % kWarpSize == 0 ? kWarpSize : threads; }

Place sizes_of(const PlaceDigits& all) {
  const int64_t lanes = lanes_of(all.threads);
  return {all.registers, lanes, all.threads / lanes, 1};
}

// Appends the next digit of a coordinate, the fastest one first. One of weight 0 has no effect.
void count(PlaceDigits& result, bool is_of_thread, int64_t size, size_t dimension, int64_t weight) {
  int64_t& so_far = is_of_thread ? result.threads : result.registers;
  if (size > 1 && weight > 0)
    result.digits.push_back({is_of_thread, so_far, size, dimension, weight});
  so_far *= size;
}

NodeId by_number(ExprTable& nodes, Op op, NodeId x, int64_t n) {
  return add_operation(nodes, op, x, add_constant(nodes, n));
}

// A digit as an expression of register, lane and warp, without its weight.
NodeId expression_of(const PlaceDigits& all, const PlaceDigit& digit, ExprTable& nodes) {
  const int64_t lanes = lanes_of(all.threads), end = digit.divisor * digit.size;
  int64_t divisor = digit.divisor, size = all.registers;
  NodeId x = -1;
  if (!digit.is_of_thread) {
    x = add_variable(nodes, Op::kDimension, 0);
  } else if (lanes % end == 0) {  // the same for each warp
    size = lanes;
    x = add_variable(nodes, Op::kDimension, 1);
  } else if (divisor % lanes == 0) {
    divisor /= lanes;
    size = all.threads / lanes;
    x = add_variable(nodes, Op::kDimension, 2);
  } else {
    size = all.threads;
    const NodeId warps = by_number(nodes, Op::kMul, add_variable(nodes, Op::kDimension, 2), lanes);
    x = add_operation(nodes, Op::kAdd, warps, add_variable(nodes, Op::kDimension, 1));
  }
  if (divisor > 1) x = by_number(nodes, Op::kFloorDiv, x, divisor);
  if (divisor * digit.size < size) x = by_number(nodes, Op::kMod, x, digit.size);
  return x;
}

// `[0,2] of lane 1`
struct NamedBasis {
  uint64_t number = 0;  // of the element, the first dimension fastest
  std::string text;
};

std::vector<NamedBasis> named_bases(const ThreadForm& form, size_t coordinate) {
  std::vector<NamedBasis> bases;
  Place place = {};
  for (size_t k = 0; k < form.bases[coordinate].size(); ++k) {
    place[coordinate] = int64_t{1} << k;
    const Dims index = held_at(form, place);
    NamedBasis& basis = bases.emplace_back();
    for (size_t d = index.size(); d-- > 0;)
      basis.number =
          basis.number * static_cast<uint64_t>(form.dims[d]) + static_cast<uint64_t>(index[d]);
    basis.text = absl::StrCat(dims_text(index), " of ", std::string(kPlaceNames[coordinate]), " ",
                              place[coordinate]);
  }
  return bases;
}

// One mode, with as few integers as possible.
tileproof::NestedLayout mode_of(const std::vector<NamedBasis>& bases) {
  std::vector<int64_t> sizes, strides;
  for (const NamedBasis& basis : bases) {
    const auto stride = static_cast<int64_t>(basis.number);
    if (!sizes.empty() && stride == strides.back() * sizes.back()) {
      sizes.back() *= 2;
    } else {
      sizes.push_back(2);
      strides.push_back(stride);
    }
  }
  if (sizes.empty()) return {make_integer(1), make_integer(0)};
  if (sizes.size() == 1) return {make_integer(sizes[0]), make_integer(strides[0])};
  return {make_flat(sizes), make_flat(strides)};
}

}  // namespace

PlaceDigits digits_of(const ThreadValueEncoding& encoding, const Dims& dims) {
  PlaceDigits result{dims, true, 1, 1, {}};
  for (const bool is_of_thread : {true, false}) {
    const tileproof::NestedLayout part = mode(encoding.layout, is_of_thread ? 0 : 1);
    const std::vector<int64_t> extents = leaves(part.shape), strides = leaves(part.stride);
    for (size_t i = 0; i < extents.size(); ++i)
      count(result, is_of_thread, extents[i], 0, strides[i]);
  }
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
  PlaceDigits result{dims, false, 1, 1, {}};
  std::vector<bool> is_taken(parts.size());
  const auto take = [&](bool is_of_thread, size_t i) {
    count(result, is_of_thread, parts[i].size, parts[i].dimension, parts[i].weight);
    is_taken[i] = true;
  };
  const auto from_end = [&parts](int64_t negative) {
    return static_cast<size_t>(std::ssize(parts) + negative);
  };
  for (const auto* dimensions : {&encoding.lanes, &encoding.warps}) {
    for (size_t i = dimensions->size(); i-- > 0;) {
      const ThreadDimension& dimension = (*dimensions)[i];
      if (dimension.copies > 0) {
        count(result, true, dimension.copies, 0, 0);
      } else {
        take(true, from_end(dimension.number));
      }
    }
  }
  take(false, from_end(encoding.vector));
  for (size_t i = parts.size(); i-- > 0;) {
    if (!is_taken[i]) take(false, i);
  }
  return result;
}

IndexingMap map_of(const PlaceDigits& all) {
  IndexingMap map;
  ExprTable& nodes = map.nodes;
  const Place sizes = sizes_of(all);
  for (size_t i = 0; i < 4; ++i)
    map.dimensions.push_back({{0, sizes[i] - 1}, std::string(kPlaceNames[i])});
  std::vector<NodeId> sums(all.is_number ? 1 : all.dims.size(), -1);
  for (const PlaceDigit& digit : all.digits) {
    NodeId term = expression_of(all, digit, nodes);
    if (digit.weight > 1) term = by_number(nodes, Op::kMul, term, digit.weight);
    NodeId& sum = sums[digit.dimension];
    sum = sum < 0 ? term : add_operation(nodes, Op::kAdd, sum, term);
  }
  for (NodeId& sum : sums) {
    if (sum < 0) sum = add_constant(nodes, 0);
  }
  map.results = sums;
  if (!all.is_number) return map;
  map.results.clear();
  NodeId number = sums[0];
  for (size_t d = 0; d < all.dims.size(); ++d) {
    const bool is_last = d + 1 == all.dims.size();
    map.results.push_back(is_last ? number : by_number(nodes, Op::kMod, number, all.dims[d]));
    if (!is_last) number = by_number(nodes, Op::kFloorDiv, number, all.dims[d]);
  }
  return map;
}

Dims held_at(const PlaceDigits& all, const Place& place) {
  const int64_t thread = place[2] * lanes_of(all.threads) + place[1];
  Dims sums(std::max<size_t>(all.dims.size(), 1));
  for (const auto& [is_of_thread, divisor, size, dimension, weight] : all.digits)
    sums[dimension] += (is_of_thread ? thread : place[0]) / divisor % size * weight;
  sums.resize(all.dims.size());
  if (!all.is_number || sums.empty()) return sums;
  int64_t number = sums[0];
  for (size_t d = 0; d < sums.size(); ++d) {
    sums[d] = number % all.dims[d];
    number /= all.dims[d];
  }
  return sums;
}

std::optional<ThreadForm> form_of(const PlaceDigits& all) {
  const auto is_power = [](int64_t x) { return std::has_single_bit(static_cast<uint64_t>(x)); };
  if (!std::ranges::all_of(all.dims, is_power) || !is_power(all.threads) ||
      !is_power(all.registers))
    return std::nullopt;
  std::vector<uint64_t> met(all.dims.size() + 1);  // bits of the sum of each dimension
  for (const PlaceDigit& digit : all.digits) {
    if (!is_power(digit.divisor) || !is_power(digit.size)) return std::nullopt;
    for (int64_t value = 1; value < digit.size; value *= 2) {
      const auto bits = static_cast<uint64_t>(value * digit.weight);
      if ((met[digit.dimension] & bits) != 0) return std::nullopt;
      met[digit.dimension] |= bits;
    }
  }
  ThreadForm form{all.dims, {}};
  const Place sizes = sizes_of(all);
  for (size_t i = 0; i < 4; ++i) {
    for (Place place = {}; (place[i] = std::max<int64_t>(2 * place[i], 1)) < sizes[i];)
      form.bases[i].push_back(packed(all.dims, held_at(all, place)));
  }
  return form;
}

absl::StatusOr<tileproof::NestedLayout> to_thread_values(const ThreadForm& form) {
  const Place sizes = place_sizes(form);
  if (sizes[3] > 1) return absl::FailedPreconditionError("CuTe's threads are of one block");
  if (lanes_of(sizes[1] * sizes[2]) != sizes[1]) {
    return absl::FailedPreconditionError(
        absl::StrCat("CuTe's warps have 32 lanes, these have ", sizes[1]));
  }
  std::vector<NamedBasis> threads = named_bases(form, 1), values = named_bases(form, 0);
  for (NamedBasis& basis : named_bases(form, 2)) threads.push_back(std::move(basis));
  std::vector<const NamedBasis*> all;
  for (const auto* bases : {&values, &threads}) {
    for (const NamedBasis& basis : *bases) {
      for (const NamedBasis* other : all) {
        if ((other->number & basis.number) == 0) continue;
        return absl::FailedPreconditionError(
            absl::StrCat("the bases ", other->text, " and ", basis.text,
                         " meet in a bit, where strides would carry"));
      }
      all.push_back(&basis);
    }
  }
  tileproof::NestedLayout of_threads = mode_of(threads), of_values = mode_of(values);
  return tileproof::NestedLayout{make_tuple({of_threads.shape, of_values.shape}),
                                 make_tuple({of_threads.stride, of_values.stride})};
}

}  // namespace tileproof::impl

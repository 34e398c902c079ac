// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/bounded_hlo.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/dims.h"

namespace tileproof {
namespace {

std::string braced(const Dims& numbers) {
  return absl::StrCat("{", absl::StrJoin(numbers, ","), "}");
}

std::string array(const Dims& dims) { return absl::StrCat("f32[", absl::StrJoin(dims, ","), "]"); }

// Returns dimensions of rank `least` to `most`, each size from the list.
Dims dims_of(Choose& choose, int64_t least, int64_t most, const Dims& sizes) {
  Dims dims(static_cast<size_t>(choose.between(least, most)));
  for (int64_t& size : dims) size = choose.pick(sizes);
  return dims;
}

// Returns a subset of the numbers below `below`, ascending.
Dims subset(Choose& choose, int64_t below) {
  Dims result;
  for (int64_t d = 0; d < below; ++d) {
    if (choose(2) == 1) result.push_back(d);
  }
  return result;
}

Dims without(const Dims& dims, const Dims& places) {
  Dims result;
  for (int64_t d = 0; d < std::ssize(dims); ++d) {
    if (std::find(places.begin(), places.end(), d) == places.end()) result.push_back(dims[d]);
  }
  return result;
}

std::string transpose(Choose& choose) {
  const Dims dims = dims_of(choose, 0, 3, {1, 2, 3});
  const Dims order = some_of(choose, std::ssize(dims), std::ssize(dims));
  Dims result;
  for (int64_t d : order) result.push_back(dims[d]);
  return absl::StrCat("r = ", array(result), " transpose(", array(dims),
                      " p0), dimensions=", braced(order));
}

std::string reverse(Choose& choose) {
  const Dims dims = dims_of(choose, 0, 3, {1, 2, 3});
  return absl::StrCat("r = ", array(dims), " reverse(", array(dims),
                      " p0), dimensions=", braced(subset(choose, std::ssize(dims))));
}

std::string broadcast(Choose& choose) {
  const Dims result = dims_of(choose, 0, 3, {1, 2, 3});
  const int64_t rank = choose(std::ssize(result) + 1);
  const Dims places = some_of(choose, std::ssize(result), rank);
  Dims dims;
  for (int64_t d : places) dims.push_back(result[d]);
  return absl::StrCat("r = ", array(result), " broadcast(", array(dims),
                      " p0), dimensions=", braced(places));
}

// Returns at most three sizes whose product is `count`. If `count` is 0, returns at most two sizes,
// each 0 or 2.
Dims factors(Choose& choose, int64_t count) {
  if (count == 0) {
    return choose.pick<Dims>({{0}, {0, 0}, {0, 2}, {2, 0}});
  }
  Dims dims;
  for (const int64_t rank = choose.between(count == 1 ? 0 : 1, 3); std::ssize(dims) < rank;) {
    Dims divisors;
    for (int64_t n = 1; n <= count; ++n) {
      if (count % n == 0) divisors.push_back(n);
    }
    if (std::ssize(dims) + 1 == rank) divisors = {count};
    dims.push_back(choose.pick(divisors));
    count /= dims.back();
  }
  return dims;
}

std::string reshape(Choose& choose) {
  const int64_t count = choose.pick<int64_t>({0, 1, 2, 3, 4, 6, 8, 12});
  const Dims from = factors(choose, count);
  return absl::StrCat("r = ", array(factors(choose, count)), " reshape(", array(from), " p0)");
}

std::string slice(Choose& choose) {
  const bool one = choose(2) == 0;
  const Dims dims = one ? Dims{choose(6)} : dims_of(choose, 2, 2, {1, 2, 3});
  Dims result;
  std::vector<std::string> bounds;
  for (int64_t size : dims) {
    const int64_t start = choose(size + 1);
    const int64_t limit = choose.between(start, size);
    const int64_t stride = choose.between(1, one ? 3 : 2);
    result.push_back((limit - start + stride - 1) / stride);
    bounds.push_back(absl::StrCat("[", start, ":", limit, ":", stride, "]"));
  }
  return absl::StrCat("r = ", array(result), " slice(", array(dims), " p0), slice={",
                      absl::StrJoin(bounds, ", "), "}");
}

std::string pad(Choose& choose) {
  const bool one = choose(2) == 0;
  const Dims dims = one ? Dims{choose(4)} : dims_of(choose, 2, 2, {1, 2});
  const int64_t most = one ? 2 : 1;
  Dims result;
  std::vector<std::string> edges;
  for (int64_t size : dims) {
    const int64_t holes = choose(most + 1);
    const int64_t inside = size + std::max<int64_t>(size - 1, 0) * holes;
    const int64_t low = choose.between(std::max<int64_t>(-1, -inside), most);
    const int64_t high = choose.between(std::max<int64_t>(-1, -(inside + low)), most);
    result.push_back(inside + low + high);
    edges.push_back(absl::StrCat(low, "_", high, "_", holes));
  }
  return absl::StrCat("r = ", array(result), " pad(", array(dims),
                      " p0, f32[] p1), padding=", absl::StrJoin(edges, "x"));
}

std::string concatenate(Choose& choose) {
  Dims dims(static_cast<size_t>(choose.between(1, 2)));
  const int64_t along = choose(std::ssize(dims));
  if (dims.size() == 2) dims[1 - along] = choose.between(1, 2);
  const int64_t count = choose.between(1, 3);
  std::vector<std::string> operands;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    dims[along] = choose(4);
    sum += dims[along];
    operands.push_back(absl::StrCat(array(dims), " p", i));
  }
  dims[along] = sum;
  return absl::StrCat("r = ", array(dims), " concatenate(", absl::StrJoin(operands, ", "),
                      "), dimensions={", along, "}");
}

constexpr absl::string_view kAdd =
    "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\n";

// Returns an operation that applies a computation, on p0 and an initial value.
std::string reducing(const Dims& dims, const Dims& result, absl::string_view what,
                     absl::string_view attributes) {
  return absl::StrCat(kAdd, "ENTRY e {\n p0 = ", array(dims),
                      " parameter(0)\n p1 = f32[] parameter(1)\n ROOT r = ", array(result), " ",
                      what, "(p0, p1), ", attributes, ", to_apply=add\n}\n");
}

std::string reduce(Choose& choose) {
  const Dims dims = dims_of(choose, 0, 3, {1, 2, 3});
  const Dims away = subset(choose, std::ssize(dims));
  return reducing(dims, without(dims, away), "reduce", absl::StrCat("dimensions=", braced(away)));
}

std::string reduce_window(Choose& choose) {
  const int64_t size = choose.between(1, 4), window = choose.between(1, 3);
  const int64_t stride = choose.between(1, 2), low = choose(2), high = choose(2);
  const int64_t base = choose.between(1, 2), between = choose.between(1, 2);
  const int64_t inside = (size - 1) * base + 1 + low + high;
  const int64_t covered = (window - 1) * between + 1;
  const int64_t result = inside < covered ? 0 : (inside - covered) / stride + 1;
  return reducing({size}, {result}, "reduce-window",
                  absl::StrCat("window={size=", window, " stride=", stride, " pad=", low, "_", high,
                               " lhs_dilate=", base, " rhs_dilate=", between, "}"));
}

std::string offsets(int64_t from, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) absl::StrAppend(&text, ", s32[] p", from + i);
  return text;
}

Dims window_in(Choose& choose, const Dims& dims) {
  Dims window;
  for (int64_t size : dims) window.push_back(choose.between(1, size));
  return window;
}

std::string dynamic_slice(Choose& choose) {
  const Dims dims = dims_of(choose, 1, 2, {1, 2, 3});
  const Dims window = window_in(choose, dims);
  return absl::StrCat("r = ", array(window), " dynamic-slice(", array(dims), " p0",
                      offsets(1, std::ssize(dims)), "), dynamic_slice_sizes=", braced(window));
}

std::string dynamic_update_slice(Choose& choose) {
  const Dims dims = dims_of(choose, 1, 2, {1, 2, 3});
  return absl::StrCat("r = ", array(dims), " dynamic-update-slice(", array(dims), " p0, ",
                      array(window_in(choose, dims)), " p1", offsets(2, std::ssize(dims)), ")");
}

// Gathers one or two windows of an array. Each dimension of the result belongs to the window or
// numbers the windows.
std::string gather(Choose& choose) {
  const Dims dims = dims_of(choose, 1, 2, {2, 3});
  const Dims window = window_in(choose, dims);
  const int64_t indexed = choose.between(1, std::ssize(dims));
  const Dims map = some_of(choose, std::ssize(dims), indexed);
  Dims collapsed;
  for (int64_t d = 0; d < std::ssize(dims); ++d) {
    if (window[d] == 1 && choose(2) == 1) collapsed.push_back(d);
  }
  const Dims kept = without(window, collapsed);
  const bool many = choose(2) == 1;                            // two windows instead of one
  const int64_t at = many ? choose(std::ssize(kept) + 1) : 0;  // of the number of the window
  Dims indices = many ? Dims{2} : Dims{};
  const int64_t vector_dim = many ? choose(2) : 0;
  indices.insert(indices.begin() + vector_dim, indexed);
  Dims result, places;
  for (int64_t i = 0; i < std::ssize(kept); ++i) {
    if (many && i == at) result.push_back(2);
    places.push_back(std::ssize(result));
    result.push_back(kept[i]);
  }
  if (many && at == std::ssize(kept)) result.push_back(2);
  return absl::StrCat("r = ", array(result), " gather(", array(dims), " p0, s32[",
                      absl::StrJoin(indices, ","), "] p1), offset_dims=", braced(places),
                      ", collapsed_slice_dims=", braced(collapsed),
                      ", start_index_map=", braced(map), ", index_vector_dim=", vector_dim,
                      ", slice_sizes=", braced(window));
}

std::string dot(Choose& choose) {
  const Dims left = dims_of(choose, 1, 2, {2, 3});
  Dims right(static_cast<size_t>(choose.between(1, 2)));
  const int64_t least = std::min(std::ssize(left), std::ssize(right));
  const int64_t pairs = choose(least + 1), batches = choose(pairs + 1);
  const Dims from = some_of(choose, std::ssize(left), pairs);
  const Dims to = some_of(choose, std::ssize(right), pairs);
  for (int64_t i = 0; i < pairs; ++i) right[to[i]] = left[from[i]];
  for (int64_t& size : right) {
    if (size == 0) size = choose.pick<int64_t>({2, 3});
  }
  const auto first = [](const Dims& all, int64_t n) { return Dims(all.begin(), all.begin() + n); };
  const auto rest = [](const Dims& all, int64_t n) { return Dims(all.begin() + n, all.end()); };
  Dims result;
  for (int64_t d : first(from, batches)) result.push_back(left[d]);
  for (int64_t size : without(left, from)) result.push_back(size);
  for (int64_t size : without(right, to)) result.push_back(size);
  return absl::StrCat("r = ", array(result), " dot(", array(left), " p0, ", array(right),
                      " p1), lhs_batch_dims=", braced(first(from, batches)),
                      ", lhs_contracting_dims=", braced(rest(from, batches)),
                      ", rhs_batch_dims=", braced(first(to, batches)),
                      ", rhs_contracting_dims=", braced(rest(to, batches)));
}

constexpr absl::string_view kThree = "rank <= 3, sizes {1,2,3}";

constexpr BoundedHlo kKinds[] = {
    {"transpose", kThree, transpose},
    {"reverse", kThree, reverse},
    {"broadcast", kThree, broadcast},
    {"reshape", "rank <= 3, {0,1,2,3,4,6,8,12} elements", reshape},
    {"slice", "size <= 5 and strides <= 3, rank 2 of sizes {1,2,3} and strides <= 2", slice},
    {"pad",
     "size <= 3, edges -1 to 2, holes <= 2; rank 2 of sizes {1,2}, edges -1 to 1, holes <= 1", pad},
    {"concatenate", "<= 3 operands, rank <= 2, sizes 0 to 3 along, {1,2} across", concatenate},
    {"reduce", kThree, reduce},
    {"reduce-window", "size <= 4, window <= 3, stride, dilations <= 2, edges <= 1", reduce_window},
    {"dynamic-slice", "rank <= 2, sizes {1,2,3}", dynamic_slice},
    {"dynamic-update-slice", "rank <= 2, sizes {1,2,3}", dynamic_update_slice},
    {"gather", "rank <= 2, sizes {2,3}, one window or two", gather},
    {"dot", "rank <= 2, sizes {2,3}", dot},
};

}  // namespace

absl::Span<const BoundedHlo> bounded_hlo_kinds() { return kKinds; }

}  // namespace tileproof

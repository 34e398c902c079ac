// SPDX-License-Identifier: Apache-2.0
// The steps that lay out an array in memory.
//
// An array has dimensions, major to minor, and its elements lie in row-major order. There are five
// steps:
//
//     step              dimensions before     dimensions after
//     Prepend           [a, b]                [1, a, b]                 a reshape: nothing moves
//     Combine{at}       [.., a, b, ..]        [.., a*b, ..]             a reshape: nothing moves
//     Split{at, tile}   [.., a, ..]           [.., a/tile, tile, ..]    a reshape; tile divides a
//     Pad{at, multiple} [.., a, ..]           [.., a rounded up, ..]    new positions are padding
//     Transpose{from}   dimension i of the result is dimension from[i] of the array
//
// Each step is defined twice:
//
//   * on a whole array (array_after): it moves the elements, which a reader can check by looking;
//   * on one index (forward, backward): this works for arrays too large to hold in memory.
//
// The tests compare the two on every element of small arrays. The index functions are generic over
// two number types. Indices are of type N: with int64_t they are executed, with SMT terms a solver
// reasons about them. Sizes are of type S: int64_t, or larger integers for arrays beyond 64 bits.
// A step itself holds no size of the array, only numbers of the layout.
//
// This is the reference. It is slow on purpose.
// Source: XLA, "Tiled layout", "Tiling as pad-reshape-transpose" (docs/sources.md).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/base/integers.h"
#include "spec/lang/base/dims.h"

namespace tileproof::spec {

using tileproof::Dims;

struct Prepend {};
struct Combine {
  int64_t at;
};
struct Split {
  int64_t at;
  int64_t tile;
};
struct Pad {
  int64_t at;
  int64_t multiple;  // the size is rounded up to a multiple of this
};
struct Transpose {
  std::vector<int64_t> from;
};
using Step = std::variant<Prepend, Combine, Split, Pad, Transpose>;

// Returns the dimensions after the step. Fails if a size does not fit int64.
absl::StatusOr<Dims> dims_after(const Step& step, const Dims& dims);

// The same for a type S of sizes that cannot wrap. S has +, * and floordiv.
template <class S>
std::vector<S> sizes_after(const Step& step, std::vector<S> dims);

// One line for reports: "pad dimension 1 to 6". `after` are the dimensions after the step.
std::string to_text(const Step& step, const Dims& after);

// An array of element ids in row-major order. Padding holds kPadding.
struct Array {
  static constexpr int64_t kPadding = -1;
  Dims dims;
  std::vector<int64_t> ids;
};

// The array with the ids 0, 1, 2, .. in row-major order. It must fit in memory.
Array counted_array(const Dims& dims);

// Applies the step to a whole array.
Array array_after(const Step& step, const Array& array);

// Returns the index after the step of the element at `index` before it. `dims` are the dimensions
// before the step.
template <class N, class S>
std::vector<N> forward(const Step& step, const std::vector<S>& dims, std::vector<N> index);

// The type of a comparison of two N: bool, or a Boolean SMT term.
template <class N>
using Truth = decltype(std::declval<N>() < int64_t{0});

// An index before a step, and whether an element exists there. Padding has none.
template <class N>
struct Preimage {
  std::vector<N> index;
  Truth<N> exists;
};

// The inverse of forward. `dims` are the dimensions before the step, `index` is an index after it.
// The result exists if `exists` holds and the step did not add the position as padding.
template <class N, class S>
Preimage<N> backward(const Step& step, const std::vector<S>& dims, std::vector<N> index,
                     Truth<N> exists);

// ---- The definitions for sizes ----

template <class S>
std::vector<S> sizes_after(const Prepend&, std::vector<S> dims) {
  dims.insert(dims.begin(), S{1});
  return dims;
}

template <class S>
std::vector<S> sizes_after(const Combine& step, std::vector<S> dims) {
  const auto at = dims.begin() + step.at;
  *at = *at * *(at + 1);
  dims.erase(at + 1);
  return dims;
}

template <class S>
std::vector<S> sizes_after(const Split& step, std::vector<S> dims) {
  dims[step.at] = floordiv(dims[step.at], S{step.tile});
  dims.insert(dims.begin() + step.at + 1, S{step.tile});
  return dims;
}

template <class S>
std::vector<S> sizes_after(const Pad& step, std::vector<S> dims) {
  const S multiple{step.multiple};
  dims[step.at] = floordiv(dims[step.at] + S{step.multiple - 1}, multiple) * multiple;
  return dims;
}

template <class S>
std::vector<S> sizes_after(const Transpose& step, std::vector<S> dims) {
  std::vector<S> moved;
  moved.reserve(dims.size());
  for (int64_t from : step.from) moved.push_back(dims[from]);
  return moved;
}

template <class S>
std::vector<S> sizes_after(const Step& step, std::vector<S> dims) {
  return std::visit([&](const auto& s) { return sizes_after(s, std::move(dims)); }, step);
}

// ---- The definitions for indices ----

template <class N, class S>
std::vector<N> forward(const Prepend&, const std::vector<S>&, std::vector<N> index) {
  index.insert(index.begin(), N(0));
  return index;
}

template <class N, class S>
std::vector<N> forward(const Combine& step, const std::vector<S>& dims, std::vector<N> index) {
  const auto at = index.begin() + step.at;
  *at = *at * dims[step.at + 1] + *(at + 1);
  index.erase(at + 1);
  return index;
}

template <class N, class S>
std::vector<N> forward(const Split& step, const std::vector<S>&, std::vector<N> index) {
  const N whole = index[step.at];
  index[step.at] = floordiv(whole, step.tile);
  index.insert(index.begin() + step.at + 1, mod(whole, step.tile));
  return index;
}

template <class N, class S>
std::vector<N> forward(const Pad&, const std::vector<S>&, std::vector<N> index) {
  return index;
}

template <class N, class S>
std::vector<N> forward(const Transpose& step, const std::vector<S>&, std::vector<N> index) {
  std::vector<N> moved;
  moved.reserve(index.size());
  for (int64_t from : step.from) moved.push_back(index[from]);
  return moved;
}

template <class N, class S>
std::vector<N> forward(const Step& step, const std::vector<S>& dims, std::vector<N> index) {
  return std::visit([&](const auto& s) { return forward(s, dims, std::move(index)); }, step);
}

template <class N, class S>
Preimage<N> backward(const Prepend&, const std::vector<S>&, std::vector<N> index, Truth<N> exists) {
  index.erase(index.begin());
  return {std::move(index), exists};
}

template <class N, class S>
Preimage<N> backward(const Combine& step, const std::vector<S>& dims, std::vector<N> index,
                     Truth<N> exists) {
  const S minor = dims[step.at + 1];
  const N whole = index[step.at];
  index[step.at] = floordiv(whole, minor);
  index.insert(index.begin() + step.at + 1, mod(whole, minor));
  return {std::move(index), exists};
}

template <class N, class S>
Preimage<N> backward(const Split& step, const std::vector<S>&, std::vector<N> index,
                     Truth<N> exists) {
  const auto at = index.begin() + step.at;
  *at = *at * step.tile + *(at + 1);
  index.erase(at + 1);
  return {std::move(index), exists};
}

template <class N, class S>
Preimage<N> backward(const Pad& step, const std::vector<S>& dims, std::vector<N> index,
                     Truth<N> exists) {
  const Truth<N> within = exists && index[step.at] < dims[step.at];
  return {std::move(index), within};
}

template <class N, class S>
Preimage<N> backward(const Transpose& step, const std::vector<S>&, std::vector<N> index,
                     Truth<N> exists) {
  std::vector<N> moved = index;
  for (size_t i = 0; i < step.from.size(); ++i) moved[step.from[i]] = index[i];
  return {std::move(moved), exists};
}

template <class N, class S>
Preimage<N> backward(const Step& step, const std::vector<S>& dims, std::vector<N> index,
                     Truth<N> exists) {
  return std::visit([&](const auto& s) { return backward(s, dims, std::move(index), exists); },
                    step);
}

}  // namespace tileproof::spec

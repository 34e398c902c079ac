// The steps that a layout is made of: what happens to an array on its way into memory.
//
// An array has dimensions, major to minor, and its elements lie row-major. There are five steps:
//
//     Prepend           [a, b] becomes [1, a, b]                a reshape: nothing moves
//     Combine{at}       [.., a, b, ..] becomes [.., a*b, ..]    a reshape: nothing moves
//     Split{at, tile}   [.., a, ..] becomes [.., a/tile, tile, ..], tile divides a; nothing moves
//     Pad{at, size}     dimension `at` grows to size; the new places hold padding
//     Transpose{from}   dimension i of the result is dimension from[i] of the array
//
// Each step is told twice. On whole arrays (array_after) by moving the elements, which anybody can
// check by looking, and on one index (forward, backward) for arrays too large to hold; the tests
// compare the two on every element of small arrays. The index functions are generic over the number
// type N: with int64 they are executed, with the terms of a solver they are what a proof is about.
//
// This is the reference. It is slow on purpose.
// Source: seed "Tiled layout", section "Tiling as pad-reshape-transpose".
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/base/integers.h"

namespace tileproof::spec {

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
  int64_t size;
};
struct Transpose {
  std::vector<int64_t> from;
};
using Step = std::variant<Prepend, Combine, Split, Pad, Transpose>;

using Dims = std::vector<int64_t>;

// The dimensions after the step. An error where a size does not fit int64.
absl::StatusOr<Dims> dims_after(const Step& step, const Dims& dims);

// One line for people: "pad dimension 1 to 6".
std::string to_text(const Step& step);

// An array of element ids, row-major. Padding holds kPadding.
struct Array {
  static constexpr int64_t kPadding = -1;
  Dims dims;
  std::vector<int64_t> ids;
};

// The array whose ids count its elements in row-major order: 0, 1, 2, ... The product of dims must
// fit memory.
Array counted_array(const Dims& dims);

// The step on a whole array.
Array array_after(const Step& step, const Array& array);

// Where the element at `index` goes. `dims` are those before the step.
template <class N>
std::vector<N> forward(const Step& step, const Dims& dims, std::vector<N> index);

// An index before the step, and whether there is an element: places that a Pad has added have none.
template <class N>
using Truth = decltype(std::declval<N>() < int64_t{0});
template <class N>
struct Preimage {
  std::vector<N> index;
  Truth<N> exists;
};

// Where the element at `index`, a place after the step, came from. `dims` are those before the
// step.
template <class N>
Preimage<N> backward(const Step& step, const Dims& dims, std::vector<N> index, Truth<N> exists);

// ---- The definitions of the index functions ----

template <class N>
std::vector<N> forward(const Prepend&, const Dims&, std::vector<N> index) {
  index.insert(index.begin(), N(0));
  return index;
}

template <class N>
std::vector<N> forward(const Combine& step, const Dims& dims, std::vector<N> index) {
  const auto at = index.begin() + step.at;
  *at = *at * dims[step.at + 1] + *(at + 1);
  index.erase(at + 1);
  return index;
}

template <class N>
std::vector<N> forward(const Split& step, const Dims&, std::vector<N> index) {
  const N whole = index[step.at];
  index[step.at] = floordiv(whole, step.tile);
  index.insert(index.begin() + step.at + 1, mod(whole, step.tile));
  return index;
}

template <class N>
std::vector<N> forward(const Pad&, const Dims&, std::vector<N> index) {
  return index;
}

template <class N>
std::vector<N> forward(const Transpose& step, const Dims&, std::vector<N> index) {
  std::vector<N> moved;
  for (int64_t from : step.from) moved.push_back(index[from]);
  return moved;
}

template <class N>
std::vector<N> forward(const Step& step, const Dims& dims, std::vector<N> index) {
  return std::visit([&](const auto& s) { return forward(s, dims, std::move(index)); }, step);
}

template <class N>
Preimage<N> backward(const Prepend&, const Dims&, std::vector<N> index, Truth<N> exists) {
  index.erase(index.begin());
  return {std::move(index), exists};
}

template <class N>
Preimage<N> backward(const Combine& step, const Dims& dims, std::vector<N> index, Truth<N> exists) {
  const int64_t minor = dims[step.at + 1];
  const N whole = index[step.at];
  index[step.at] = floordiv(whole, minor);
  index.insert(index.begin() + step.at + 1, mod(whole, minor));
  return {std::move(index), exists};
}

template <class N>
Preimage<N> backward(const Split& step, const Dims&, std::vector<N> index, Truth<N> exists) {
  const auto at = index.begin() + step.at;
  *at = *at * step.tile + *(at + 1);
  index.erase(at + 1);
  return {std::move(index), exists};
}

template <class N>
Preimage<N> backward(const Pad& step, const Dims& dims, std::vector<N> index, Truth<N> exists) {
  return {index, exists && index[step.at] < dims[step.at]};
}

template <class N>
Preimage<N> backward(const Transpose& step, const Dims&, std::vector<N> index, Truth<N> exists) {
  std::vector<N> moved = index;
  for (size_t i = 0; i < step.from.size(); ++i) moved[step.from[i]] = index[i];
  return {std::move(moved), exists};
}

template <class N>
Preimage<N> backward(const Step& step, const Dims& dims, std::vector<N> index, Truth<N> exists) {
  return std::visit([&](const auto& s) { return backward(s, dims, std::move(index), exists); },
                    step);
}

}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// Access functions: which element of an operand a result element reads.
//
// An access function `reach` uses the letters of indexing maps. It takes the index `o` of a result
// element, values `s` of range variables and values `rt` of runtime variables. It gives the index
// of an operand element, and whether that element exists. A result element o depends on
//
//     { reach(o, s, rt).index : s within its ranges, reach(o, s, rt).in_domain }
//
//     slice={[2:8:3]}                o = (1)       index (1 * 3 + 2)
//     pad, padding=1_0_1             o = (3)       index (1);  o = (2): not in the domain
//     dot, contracting dimension 1   o = (i, j)    index (i, s0), for every s0
//
// Range variables are existential. Each operation is one short function of this kind, in the files
// definition_*.h.
//
// Access functions are generic over the number type N. The interpreter (provenance.h) runs them on
// int64. Proofs run them on terms of a solver. N has: construction from int64; N + N; N * int64;
// N < int64; N == N; floordiv(N, int64) and mod(N, int64) by positive constants, as in
// spec/base/integers.h. The type of its comparisons, Truth<N>, has: construction from bool, &&,
// ||, !. Constants are so small that no int64 wraps (access_relation.h).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "spec/base/integers.h"
#include "spec/layout/layout_steps.h"

namespace tileproof::spec {

// The values of all variables.
template <class N>
struct IterationPoint {
  std::vector<N> o;   // the index of a result element
  std::vector<N> s;   // range variables
  std::vector<N> rt;  // runtime variables
};

template <class N>
struct AccessedElement {
  std::vector<N> index;
  Truth<N> in_domain;
};

// One coordinate of an index, and whether the array has an element there.
template <class N>
struct AccessedCoordinate {
  N index;
  Truth<N> exists;
};

// Adds the next coordinate. An element exists if all of its coordinates do.
template <class N>
void append(AccessedElement<N>& reached, const AccessedCoordinate<N>& coordinate) {
  reached.index.push_back(coordinate.index);
  reached.in_domain = reached.in_domain && coordinate.exists;
}

// 0 <= x < size
template <class N>
Truth<N> inside(const N& x, int64_t size) {
  return !(x < int64_t{0}) && x < size;
}

template <class N>
N minus(const N& a, const N& b) {
  return a + b * int64_t{-1};
}

namespace access {

// Each coordinate of the operand's index is a coordinate of the result's index, a range variable,
// or a constant. This is the access function of every operation that runs along whole dimensions.
//
//     elementwise (o0, o1)                    broadcast {1}: (o1)
//     transpose {1,0} (o1, o0)                reduce dimensions {0}: (s0, o0)
//     every element (s0, s1)                  a scalar: ()
struct Projection {
  enum class From : uint8_t { kOutput, kRange, kConstant };
  struct Coordinate {
    From from = From::kConstant;
    int64_t number = 0;  // of the coordinate or variable; the constant

    bool operator==(const Coordinate&) const = default;
  };
  std::vector<Coordinate> coordinates;
};

inline Projection::Coordinate output(int64_t d) { return {Projection::From::kOutput, d}; }
inline Projection::Coordinate range(int64_t s) { return {Projection::From::kRange, s}; }
inline Projection::Coordinate constant(int64_t c) { return {Projection::From::kConstant, c}; }

}  // namespace access

template <class N>
N projected(const access::Projection::Coordinate& coordinate, const IterationPoint<N>& at) {
  using From = access::Projection::From;
  if (coordinate.from == From::kOutput) return at.o[coordinate.number];
  if (coordinate.from == From::kRange) return at.s[coordinate.number];
  return N(coordinate.number);
}

template <class N>
AccessedElement<N> reach(const access::Projection& access, const IterationPoint<N>& at) {
  std::vector<N> index;
  for (const access::Projection::Coordinate& coordinate : access.coordinates) {
    index.push_back(projected(coordinate, at));
  }
  return {std::move(index), true};
}

}  // namespace tileproof::spec

// What a flow is: which element of an operand one element of a result takes its value from.
//
// A flow is told in the letters of indexing maps. Given the index `o` of a result element, values
// `s` of range variables and values `rt` of runtime variables, a function `reach` tells the index
// of an operand element, and whether it flows there:
//
//     the elements that flow into o are { reach(o, s).index : s in its bounds, reach(o, s).flows }
//
//     slice={[2:8:3]}                o = (1)         reach: index (1 * 3 + 2), flows
//     pad, padding=1_0_1             o = (3)         reach: index (1), flows;  o = (2): flows not
//     dot, contracting dimension 1   o = (i, j)      reach: index (i, s0), flows, for every s0
//
// So range variables are existential, and nothing else is needed: each operation is one short
// function of this kind (spec/hlo/access_function_*.h); spec/hlo/access_relation.h lists them.
//
// The functions are generic over the number type N. With int64 they are executed by enumeration
// (spec/hlo/provenance.h); with the terms of a solver they are what a proof about a map is about. N
// has: construction from int64; N + N; N * int64; N < int64; N == N; floordiv(N, int64) and
// mod(N, int64) by positive constants, as in spec/base/integers.h. What comparisons give, Truth<N>, has:
// construction from bool, &&, ||, !. Constants are such that no int64 can wrap: spec/hlo/access_relation.h
// checks them first.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "spec/base/integers.h"
#include "spec/layout/layout_steps.h"

namespace tileproof::spec {

// Values of all variables: of a result index, the range variables and the runtime variables.
template <class N>
struct IterationPoint {
  std::vector<N> o;
  std::vector<N> s;
  std::vector<N> rt;
};

template <class N>
struct AccessedElement {
  std::vector<N> index;
  Truth<N> in_domain;
};

// One coordinate of an index, and whether there is an element at it.
template <class N>
struct Coordinate {
  N index;
  Truth<N> exists;
};

// 0 <= x < size
template <class N>
Truth<N> inside(const N& x, int64_t size) {
  return !(x < int64_t{0}) && x < size;
}

template <class N>
N minus(const N& a, const N& b) {
  return a + b * int64_t{-1};
}

}  // namespace tileproof::spec

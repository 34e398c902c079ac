// Flows of the operations that move elements: what broadcast, transpose, reshape, bitcast, slice,
// pad, concatenate, reverse and collectives let flow; and Pick, which serves all operations whose
// operand index consists of result coordinates, range variables and constants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/hlo/access_function.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec::way {

// Every coordinate of the operand's index is a coordinate of the result's index, a range variable,
// or a constant.
//
//     elementwise (o0, o1)                    broadcast {1}: (o1)
//     transpose {1,0} (o1, o0)                reduce dimensions {0}: (s0, o0)
//     everything (s0, s1)                     a scalar: ()
struct Pick {
  enum class From : uint8_t { kOutput, kRange, kConstant };
  struct Coordinate {
    From from = From::kConstant;
    int64_t number = 0;  // of the coordinate or variable; the constant
  };
  std::vector<Coordinate> coordinates;
};

inline Pick::Coordinate output(int64_t d) { return {Pick::From::kOutput, d}; }
inline Pick::Coordinate range(int64_t s) { return {Pick::From::kRange, s}; }
inline Pick::Coordinate constant(int64_t c) { return {Pick::From::kConstant, c}; }

template <class N>
N picked(const Pick::Coordinate& coordinate, const At<N>& at) {
  if (coordinate.from == Pick::From::kOutput) return at.o[coordinate.number];
  if (coordinate.from == Pick::From::kRange) return at.s[coordinate.number];
  return N(coordinate.number);
}

template <class N>
Reached<N> reach(const Pick& way, const At<N>& at) {
  std::vector<N> index;
  for (const Pick::Coordinate& coordinate : way.coordinates) {
    index.push_back(picked(coordinate, at));
  }
  return {std::move(index), true};
}

// The elements keep their row-major order.
struct Reshape {
  Dims out;
  Dims in;
};

template <class N>
Reached<N> reach(const Reshape& way, const At<N>& at) {
  N place(0);
  for (size_t d = 0; d < way.out.size(); ++d) place = place * way.out[d] + at.o[d];
  std::vector<N> index(way.in.size(), N(0));
  for (size_t d = way.in.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(way.in[d], 1);  // an empty array is never asked about
    index[d] = mod(place, size);
    place = floordiv(place, size);
  }
  return {std::move(index), true};
}

// The elements keep their places in memory. Nothing flows from padding.
struct Bitcast {
  TiledLayout out;
  TiledLayout in;
};

template <class N>
Reached<N> reach(const Bitcast& way, const At<N>& at) {
  const N offset = offset_of(way.out, at.o);
  Origin<N> origin = origin_of<N>(way.in, offset, offset < way.in.elements());
  return {std::move(origin.index), origin.exists};
}

// Result element e of a dimension is element start + e * stride of the operand.
struct Slice {
  std::vector<SliceLimits> limits;
};

template <class N>
Reached<N> reach(const Slice& way, const At<N>& at) {
  std::vector<N> index;
  for (size_t d = 0; d < way.limits.size(); ++d) {
    index.push_back(at.o[d] * way.limits[d].stride + N(way.limits[d].start));
  }
  return {std::move(index), true};
}

// Result element e of a reversed dimension is element size - 1 - e of the operand.
struct Reverse {
  Dims sizes;
  std::vector<bool> reversed;
};

template <class N>
Reached<N> reach(const Reverse& way, const At<N>& at) {
  std::vector<N> index = at.o;
  for (size_t d = 0; d < index.size(); ++d) {
    if (way.reversed[d]) index[d] = minus(N(way.sizes[d] - 1), at.o[d]);
  }
  return {std::move(index), true};
}

// Element e of the operand lands at low + e * (interior + 1); where that is outside the result
// (negative low or high) it is lost.
template <class N>
Coordinate<N> unpadded(const PadLimits& limits, int64_t size, const N& o) {
  const int64_t step = limits.interior + 1;
  const N from_first = minus(o, N(limits.low));
  const N e = floordiv(from_first, step);
  return {e, mod(from_first, step) == N(0) && inside(e, size)};
}

struct Pad {
  std::vector<PadLimits> limits;
  Dims sizes;  // of the operand
};

template <class N>
Reached<N> reach(const Pad& way, const At<N>& at) {
  Reached<N> reached{{}, true};
  for (size_t d = 0; d < way.sizes.size(); ++d) {
    const Coordinate<N> e = unpadded(way.limits[d], way.sizes[d], at.o[d]);
    reached.index.push_back(e.index);
    reached.flows = reached.flows && e.exists;
  }
  return reached;
}

// The pad value: wherever no element of the operand lands.
struct PadValue {
  Pad pad;
};

template <class N>
Reached<N> reach(const PadValue& way, const At<N>& at) {
  return {{}, !reach(way.pad, at).flows};
}

// One operand of a concatenate: its elements are those from `offset` on.
struct Concatenate {
  int64_t dimension = 0;
  int64_t offset = 0;
  int64_t size = 0;
};

template <class N>
Reached<N> reach(const Concatenate& way, const At<N>& at) {
  std::vector<N> index = at.o;
  N& e = index[way.dimension];
  e = minus(e, N(way.offset));
  const Truth<N> flows = inside(e, way.size);
  return {std::move(index), flows};
}

// Collectives that cut a dimension into chunks, or join chunks, one for each replica. Element e of
// a chunk of the result is element e of a chunk of the operand: the only chunk (all-gather), or
// chunk s0, as the replica says (reduce-scatter, all-to-all). Which replica is not looked at.
struct Chunk {
  int64_t dimension = 0;
  int64_t size = 1;
  bool any = false;  // chunk s0, or the only one
};

template <class N>
Reached<N> reach(const Chunk& way, const At<N>& at) {
  std::vector<N> index = at.o;
  N& e = index[way.dimension];
  e = mod(e, std::max<int64_t>(way.size, 1));
  if (way.any) e = e + at.s[0] * way.size;
  return {std::move(index), true};
}

}  // namespace tileproof::spec::way

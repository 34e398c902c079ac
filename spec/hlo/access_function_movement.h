// Flows of the operations that move elements: what broadcast, transpose, reshape, bitcast, slice,
// pad, concatenate, reverse and collectives let flow; and Projection, which serves all operations whose
// operand index consists of result coordinates, range variables and constants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/hlo/access_function.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec::access {

// Every coordinate of the operand's index is a coordinate of the result's index, a range variable,
// or a constant.
//
//     elementwise (o0, o1)                    broadcast {1}: (o1)
//     transpose {1,0} (o1, o0)                reduce dimensions {0}: (s0, o0)
//     everything (s0, s1)                     a scalar: ()
struct Projection {
  enum class From : uint8_t { kOutput, kRange, kConstant };
  struct Coordinate {
    From from = From::kConstant;
    int64_t number = 0;  // of the coordinate or variable; the constant
  };
  std::vector<Coordinate> coordinates;
};

inline Projection::Coordinate output(int64_t d) { return {Projection::From::kOutput, d}; }
inline Projection::Coordinate range(int64_t s) { return {Projection::From::kRange, s}; }
inline Projection::Coordinate constant(int64_t c) { return {Projection::From::kConstant, c}; }

template <class N>
N projected(const Projection::Coordinate& coordinate, const IterationPoint<N>& at) {
  if (coordinate.from == Projection::From::kOutput) return at.o[coordinate.number];
  if (coordinate.from == Projection::From::kRange) return at.s[coordinate.number];
  return N(coordinate.number);
}

template <class N>
AccessedElement<N> reach(const Projection& access, const IterationPoint<N>& at) {
  std::vector<N> index;
  for (const Projection::Coordinate& coordinate : access.coordinates) {
    index.push_back(projected(coordinate, at));
  }
  return {std::move(index), true};
}

// The elements keep their row-major order.
struct Reshape {
  Dims out;
  Dims in;
};

template <class N>
AccessedElement<N> reach(const Reshape& access, const IterationPoint<N>& at) {
  N position(0);
  for (size_t d = 0; d < access.out.size(); ++d) position = position * access.out[d] + at.o[d];
  std::vector<N> index(access.in.size(), N(0));
  for (size_t d = access.in.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(access.in[d], 1);  // an empty array is never asked about
    index[d] = mod(position, size);
    position = floordiv(position, size);
  }
  return {std::move(index), true};
}

// The elements keep their places in memory. Nothing flows from padding.
struct Bitcast {
  TiledLayout out;
  TiledLayout in;
};

template <class N>
AccessedElement<N> reach(const Bitcast& access, const IterationPoint<N>& at) {
  const N offset = offset_of(access.out, at.o);
  Preimage<N> preimage = preimage_of<N>(access.in, offset, offset < access.in.elements());
  return {std::move(preimage.index), preimage.exists};
}

// Result element e of a dimension is element start + e * stride of the operand.
struct Slice {
  std::vector<SliceLimits> limits;
};

template <class N>
AccessedElement<N> reach(const Slice& access, const IterationPoint<N>& at) {
  std::vector<N> index;
  for (size_t d = 0; d < access.limits.size(); ++d) {
    index.push_back(at.o[d] * access.limits[d].stride + N(access.limits[d].start));
  }
  return {std::move(index), true};
}

// Result element e of a reversed dimension is element size - 1 - e of the operand.
struct Reverse {
  Dims sizes;
  std::vector<bool> reversed;
};

template <class N>
AccessedElement<N> reach(const Reverse& access, const IterationPoint<N>& at) {
  std::vector<N> index = at.o;
  for (size_t d = 0; d < index.size(); ++d) {
    if (access.reversed[d]) index[d] = minus(N(access.sizes[d] - 1), at.o[d]);
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
AccessedElement<N> reach(const Pad& access, const IterationPoint<N>& at) {
  AccessedElement<N> reached{{}, true};
  for (size_t d = 0; d < access.sizes.size(); ++d) {
    const Coordinate<N> e = unpadded(access.limits[d], access.sizes[d], at.o[d]);
    reached.index.push_back(e.index);
    reached.in_domain = reached.in_domain && e.exists;
  }
  return reached;
}

// The pad value: wherever no element of the operand lands.
struct PadValue {
  Pad pad;
};

template <class N>
AccessedElement<N> reach(const PadValue& access, const IterationPoint<N>& at) {
  return {{}, !reach(access.pad, at).in_domain};
}

// One operand of a concatenate: its elements are those from `offset` on.
struct Concatenate {
  int64_t dimension = 0;
  int64_t offset = 0;
  int64_t size = 0;
};

template <class N>
AccessedElement<N> reach(const Concatenate& access, const IterationPoint<N>& at) {
  std::vector<N> index = at.o;
  N& e = index[access.dimension];
  e = minus(e, N(access.offset));
  const Truth<N> in_domain = inside(e, access.size);
  return {std::move(index), in_domain};
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
AccessedElement<N> reach(const Chunk& access, const IterationPoint<N>& at) {
  std::vector<N> index = at.o;
  N& e = index[access.dimension];
  e = mod(e, std::max<int64_t>(access.size, 1));
  if (access.any) e = e + at.s[0] * access.size;
  return {std::move(index), true};
}

}  // namespace tileproof::spec::access

// SPDX-License-Identifier: Apache-2.0
// A plug-in in C++ that computes offsets of tiled layouts. If tileproof is installed:
//   c++ -std=c++20 -shared -fPIC plugin.cc -o plugin.so && tileproof conform --plugin plugin.so
#include <tileproof/plugin.h>

#include <span>
#include <vector>
using Wide = __int128;                // intermediate sizes may leave 64 bits
using Digit = std::pair<Wide, Wide>;  // the size of a physical dimension, and a coordinate in it
static Wide offset_of(const tileproof_shape& shape, const int64_t* index) {
  std::vector<Digit> digits;  // major to minor
  for (int64_t i = shape.rank; i-- > 0;)
    digits.push_back({shape.dims[shape.minor_to_major[i]], index[shape.minor_to_major[i]]});
  const int64_t* sizes = shape.tile_sizes;
  Wide size = 1, at = 0, offset = 0;
  for (int64_t rank : std::span(shape.tile_ranks, shape.tiles)) {
    while (std::ssize(digits) < rank) digits.insert(digits.begin(), {1, 0});
    std::vector<Digit> outer(digits.begin(), digits.end() - rank), inner;
    for (auto [n, x] : std::span(digits).last(rank)) {
      size *= n, at = at * n + x;
      const int64_t tile = *sizes++;
      if (tile == TILEPROOF_COMBINE) continue;  // combine it with the next one
      inner.push_back({tile, at % tile}), outer.push_back({(size - 1) / tile + 1, at / tile}), size = 1, at = 0;
    }
    outer.insert(outer.end(), inner.begin(), inner.end()), digits = outer;
  }
  for (auto [n, x] : digits) offset = offset * n + x;
  return offset > INT64_MAX ? -1 : offset;
}
static int linearize(const tileproof_shape* shape, const int64_t* index, int64_t n, int64_t* to, tileproof_reply*) {
  for (; n-- > 0; index += shape->rank, ++to) {
    for (int64_t d = 0; d < shape->rank; ++d)
      if (index[d] < 0 || index[d] >= shape->dims[d]) return TILEPROOF_ERROR;
    if ((*to = static_cast<int64_t>(offset_of(*shape, index))) < 0) return TILEPROOF_ERROR;
  }
  return TILEPROOF_OK;
}
static const tileproof_plugin plugin = {
    .version = TILEPROOF_PLUGIN_VERSION, .size = sizeof plugin, .layout_linearize = linearize};
const tileproof_plugin* tileproof_plugin_table() { return &plugin; }

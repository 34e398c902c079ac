// SPDX-License-Identifier: Apache-2.0
/* A plug-in in C that computes offsets of tiled layouts. If tileproof is installed:
 *   cc -shared -fPIC plugin.c -o plugin.so && tileproof conform --plugin plugin.so */
#include <string.h>
#include <tileproof/plugin.h>
typedef __int128 wide;                   /* intermediate sizes may leave 64 bits */
typedef struct { wide size, at; } digit; /* a physical dimension, and a coordinate in it */
static wide offset_of(const tileproof_shape* shape, const int64_t* index) {
  digit digits[TILEPROOF_MAX_PHYSICAL_RANK], tile[64]; /* major to minor */
  const int64_t *size = shape->tile_sizes, *d = shape->minor_to_major;
  int64_t rank = shape->rank;
  for (int64_t i = rank; i-- > 0; ++d) digits[i] = (digit){shape->dims[*d], index[*d]};
  for (int64_t k = 0; k < shape->tiles; ++k) {
    for (; rank < shape->tile_ranks[k]; ++rank, digits[0] = (digit){1, 0})
      memmove(digits + 1, digits, (size_t)rank * sizeof *digits);
    digit *in = digits + rank - shape->tile_ranks[k], *end = digits + rank, *out = in, *last = tile;
    for (digit whole = {1, 0}; in < end; ++in, ++size) {
      whole = (digit){whole.size * in->size, whole.at * in->size + in->at};
      if (*size == TILEPROOF_COMBINE) continue; /* combine it with the next one */
      *last++ = (digit){*size, whole.at % *size};
      *out++ = (digit){(whole.size - 1) / *size + 1, whole.at / *size};
      whole = (digit){1, 0};
    }
    for (digit* inside = tile; inside < last;) *out++ = *inside++;
    rank = out - digits;
  }
  wide offset = 0;
  for (int64_t i = 0; i < rank; ++i) offset = offset * digits[i].size + digits[i].at;
  return offset > INT64_MAX ? -1 : offset;
}
static int linearize(const tileproof_shape* shape, const int64_t* index, int64_t n, int64_t* to, tileproof_reply* reply) {
  for (; n-- > 0; index += shape->rank, ++to) {
    *to = (int64_t)offset_of(shape, index);
    for (int64_t d = 0; d < shape->rank; ++d) *to = index[d] < 0 || index[d] >= shape->dims[d] ? -1 : *to;
    if (*to < 0) return reply->say(reply, "outside of the array, or beyond 64 bits"), TILEPROOF_ERROR;
  }
  return TILEPROOF_OK;
}
static const tileproof_plugin plugin = {TILEPROOF_PLUGIN_VERSION, sizeof plugin, .layout_linearize = linearize};
const tileproof_plugin* tileproof_plugin_table(void) { return &plugin; }

// SPDX-License-Identifier: Apache-2.0
/* The interface of a shared library under test: tileproof conform --plugin LIB.so
 *
 * The library exports tileproof_plugin_table(), which returns a table of functions. Each function
 * answers an operation of the protocol (docs/protocol.md). A null function means that the library
 * does not support the operation.
 *
 *     static int linearize(const tileproof_shape* shape, const int64_t* indices, int64_t count,
 *                          int64_t* offsets, tileproof_reply* reply) { .. }
 *     static const tileproof_plugin plugin = {.version = TILEPROOF_PLUGIN_VERSION,
 *                                             .size = sizeof plugin,
 *                                             .layout_linearize = linearize};
 *     const tileproof_plugin* tileproof_plugin_table(void) { return &plugin; }
 *
 * Complete examples: docs/examples/plugin.c and plugin.cc.
 *
 * One thread calls all functions. Arguments belong to the caller and are valid only during the
 * call. Functions may write to standard output; the text goes to standard error. */
#ifndef TILEPROOF_PLUGIN_H_
#define TILEPROOF_PLUGIN_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. Functions that are appended to the table do not change it. */
#define TILEPROOF_PLUGIN_VERSION 1

/* The return value of every function. */
enum {
  /* The results are there. */
  TILEPROOF_OK = 0,
  /* The library does not support the request: counted by the reason in `reply`, never a pass. */
  TILEPROOF_UNSUPPORTED = 1,
  /* The request is invalid, for example an index outside of the array. */
  TILEPROOF_ERROR = 2
};

/* Receives a text from a function and copies it. After TILEPROOF_OK the text is the result, if the
 * result is a text. After the other return values it is the reason. */
typedef struct tileproof_reply {
  void (*say)(struct tileproof_reply* reply, const char* text);
} tileproof_reply;

/* The value of a tile size that is `*`: the dimension is combined with the next more minor one. */
#define TILEPROOF_COMBINE INT64_MIN

/* An array with its layout. Properties that do not affect offsets (S, SC, M) are in `text` only. */
typedef struct tileproof_shape {
  const char* text;         /* "f32[3,5]{1,0:T(2,2)}" */
  const char* element_type; /* "f32" */
  int64_t element_bits;     /* of an element in memory: E if given, otherwise whole bytes */
  int64_t rank;
  const int64_t* dims;           /* [rank]; for a bounded dimension, the bound */
  const int64_t* minor_to_major; /* [rank] */
  int64_t tiles;                 /* the number of tiles */
  const int64_t* tile_ranks;     /* [tiles] */
  const int64_t* tile_sizes;     /* of the first tile, major to minor, then of the next tile, .. */
  int64_t tail_alignment;        /* L, in elements; 1 if not given */
} tileproof_shape;

#define TILEPROOF_MAX_PHYSICAL_RANK 4160

typedef struct tileproof_physical {
  int64_t rank;
  int64_t dims[TILEPROOF_MAX_PHYSICAL_RANK]; /* [rank], major to minor, after all tiles */
  int64_t elements;                          /* including all padding */
  int64_t bytes;
} tileproof_physical;

/* A node of an expression. Its operands come before it in the array of nodes.
 *
 *     op              meaning
 *     'c'             the constant `value`
 *     'd' 's' 'r'     dimension, range variable or runtime variable number `value`
 *     '+' '*'         sum and product of the nodes `left` and `right`
 *     '/' '^' '%'     left floordiv right, left ceildiv right, left mod right */
typedef struct tileproof_node {
  char op;
  int32_t left, right;
  int64_t value;
} tileproof_node;

typedef struct tileproof_bounds {
  int64_t low, high; /* both inclusive */
} tileproof_bounds;

typedef struct tileproof_map {
  const char* text; /* "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3]" */
  int64_t dims, ranges, runtime;  /* the numbers of variables */
  const tileproof_bounds* bounds; /* of the dimensions, range variables, runtime variables */
  const tileproof_node* nodes;
  int64_t results;
  const int32_t* result_nodes; /* [results] */
  int64_t constraints;
  const int32_t* constraint_nodes;           /* [constraints] */
  const tileproof_bounds* constraint_bounds; /* [constraints] */
} tileproof_map;

typedef struct tileproof_hlo {
  const char* text;
  const char* direction;   /* "output_to_input" or "input_to_output" */
  const char* scope;       /* "instruction" or "computation" */
  const char* instruction; /* null: the root */
  int64_t leaf;            /* the number of the output leaf, or of the input leaf */
} tileproof_hlo;

typedef struct tileproof_plugin {
  int64_t version;     /* TILEPROOF_PLUGIN_VERSION */
  int64_t size;        /* sizeof(tileproof_plugin) */
  const char* name;    /* of the library, for the report; may be null */
  const char* release; /* of the library, for the report; may be null */
  /* Requests stay within these limits. 0: no limit. */
  int64_t max_rank;
  int64_t max_tiles;
  int64_t bits; /* of the widest signed integer in a request or its answer */

  /* Writes the dimensions after all tiles, and the sizes in elements and in bytes. */
  int (*layout_physical)(const tileproof_shape* shape, tileproof_physical* physical,
                         tileproof_reply* reply);
  /* Converts `count` indices of `rank` numbers each to `count` offsets, in elements. Returns
   * TILEPROOF_ERROR if any index is outside of the array. */
  int (*layout_linearize)(const tileproof_shape* shape, const int64_t* indices, int64_t count,
                          int64_t* offsets, tileproof_reply* reply);
  /* Converts `count` offsets to indices. is_padding[i] must be 1 if offset i is padding, and 0
   * otherwise. The index of padding does not matter. Returns TILEPROOF_ERROR if any offset is
   * outside of the buffer. */
  int (*layout_delinearize)(const tileproof_shape* shape, const int64_t* offsets, int64_t count,
                            int64_t* indices, unsigned char* is_padding, tileproof_reply* reply);

  /* Writes [map->results] values and *outside = 0; or only *outside = 1 if the point is outside of
   * the domain. */
  int (*map_evaluate)(const tileproof_map* map, const int64_t* dims, const int64_t* ranges,
                      const int64_t* runtime, int64_t* results, unsigned char* outside,
                      tileproof_reply* reply);
  /* These two say the text of the resulting map to `reply`. map_compose: x -> second(first(x)). */
  int (*map_simplify)(const tileproof_map* map, tileproof_reply* reply);
  int (*map_compose)(const tileproof_map* first, const tileproof_map* second,
                     tileproof_reply* reply);
  /* Says the result to `reply` as JSON: {"equal":true} */
  int (*map_equal)(const tileproof_map* left, const tileproof_map* right, tileproof_reply* reply);

  /* Says JSON to `reply`: {"result":[..]}, or {"result":[..],"inexact":[..]} */
  int (*hlo_index)(const tileproof_hlo* hlo, tileproof_reply* reply);

  /* Layouts are text, and a coordinate is JSON: "[[1,0],2]". tla_make and tla_tile say the
   * resulting layout to `reply`. */
  int (*tla_offset)(const char* layout, const char* coord, int64_t* offset, tileproof_reply* reply);
  int (*tla_make)(const char* tag, int64_t element_bits, int64_t rows, int64_t cols,
                  tileproof_reply* reply);
  int (*tla_tile)(const char* layout, const int64_t* tile, int64_t count, tileproof_reply* reply);
} tileproof_plugin;

/* The function that the library exports. Its table must not be null and must have the version
 * above. */
const tileproof_plugin* tileproof_plugin_table(void);

#ifdef __cplusplus
}
#endif
#endif

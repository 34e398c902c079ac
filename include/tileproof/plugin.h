/* What a shared library offers in order to be judged: tileproof conform --plugin LIB.so
 *
 * The library exports one function, which gives a table of functions that answer the operations of
 * the protocol (docs/protocol.md). A function that is null is an operation that is not supported.
 *
 *     static int linearize(const tileproof_shape* shape, const int64_t* indices, int64_t count,
 *                          int64_t* offsets, tileproof_reply* reply) { .. }
 *     static const tileproof_plugin plugin = {.version = TILEPROOF_PLUGIN_VERSION,
 *                                             .size = sizeof plugin, .layout_linearize =
 * linearize}; const tileproof_plugin* tileproof_plugin_table(void) { return &plugin; }
 *
 * Whole examples are docs/examples/plugin.c and plugin.cc. Functions are called from one thread.
 * What they are given belongs to the caller, and only for the time of the call. Standard output is
 * theirs to write on: it goes to standard error. */
#ifndef TILEPROOF_PLUGIN_H_
#define TILEPROOF_PLUGIN_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the meaning of what is here. New functions are appended to the table and do not change it. */
#define TILEPROOF_PLUGIN_VERSION 1

/* What every function returns. */
enum {
  TILEPROOF_OK = 0, /* the results are there */
  TILEPROOF_UNSUPPORTED =
      1,              /* not done here: counted by the reason given to `reply`, never a pass */
  TILEPROOF_ERROR = 2 /* the request is invalid: an index outside the array */
};

/* Takes a text, which is copied: a result where that is a text, else the reason of what is
 * returned. */
typedef struct tileproof_reply {
  void (*say)(struct tileproof_reply* reply, const char* text);
} tileproof_reply;

/* A size in a tile that is `*`. */
#define TILEPROOF_COMBINE INT64_MIN

/* An array with its layout. What does not matter to an offset (S, SC, M) is in the text alone. */
typedef struct tileproof_shape {
  const char* text;         /* "f32[3,5]{1,0:T(2,2)}" */
  const char* element_type; /* "f32" */
  int64_t element_bits;     /* of an element in memory: E, or else whole bytes */
  int64_t rank;
  const int64_t* dims;           /* [rank]; of a bounded dimension the bound */
  const int64_t* minor_to_major; /* [rank] */
  int64_t tiles;
  const int64_t* tile_ranks; /* [tiles] */
  const int64_t* tile_sizes; /* of the first tile, major to minor, then of the next, .. */
  int64_t tail_alignment;    /* L, in elements; 1 where there is none */
} tileproof_shape;

#define TILEPROOF_MAX_PHYSICAL_RANK 4160

typedef struct tileproof_physical {
  int64_t rank;
  int64_t dims[TILEPROOF_MAX_PHYSICAL_RANK]; /* [rank], major to minor, after all tiles */
  int64_t elements;                          /* with all padding */
  int64_t bytes;
} tileproof_physical;

/* An expression is a node, whose operands are nodes before it. */
typedef struct tileproof_node {
  /* 'c' the constant `value`; 'd', 's', 'r' the dimension, range, runtime variable number `value`;
   * '+', '*', '/' floordiv, '^' ceildiv, '%' mod of the nodes `left` and `right` */
  char op;
  int32_t left, right;
  int64_t value;
} tileproof_node;

typedef struct tileproof_bounds {
  int64_t low, high; /* both included */
} tileproof_bounds;

typedef struct tileproof_map {
  const char* text; /* "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3]" */
  int64_t dims, ranges, runtime;  /* numbers of variables */
  const tileproof_bounds* bounds; /* of the dims, then the ranges, then the runtime variables */
  const tileproof_node* nodes;
  int64_t results;
  const int32_t* result_nodes; /* [results] */
  int64_t constraints;
  const int32_t* constraint_nodes;           /* [constraints] */
  const tileproof_bounds* constraint_bounds; /* [constraints] */
} tileproof_map;

typedef struct tileproof_hlo {
  const char* text;
  const char* direction;   /* "output_to_input" */
  const char* scope;       /* "instruction" or "computation" */
  const char* instruction; /* null: the root */
  int64_t leaf;            /* of the output, or the input */
} tileproof_hlo;

typedef struct tileproof_plugin {
  int64_t version;     /* TILEPROOF_PLUGIN_VERSION */
  int64_t size;        /* sizeof(tileproof_plugin) */
  const char* name;    /* for the report; or null */
  const char* release; /* of the library, for the report; or null */
  int64_t max_rank;    /* nothing beyond these is asked; 0: no limit */
  int64_t max_tiles;
  int64_t bits; /* of the widest integer, signed, in a request or its answer */

  int (*layout_physical)(const tileproof_shape* shape, tileproof_physical* physical,
                         tileproof_reply* reply);
  /* `count` indices of `rank` numbers each to as many offsets, in elements. If one of the indices
   * is not in the array, all is an error. */
  int (*layout_linearize)(const tileproof_shape* shape, const int64_t* indices, int64_t count,
                          int64_t* offsets, tileproof_reply* reply);
  /* The way back. Where there is padding, is_padding[i] is to be 1, else 0, and that index is free.
   */
  int (*layout_delinearize)(const tileproof_shape* shape, const int64_t* offsets, int64_t count,
                            int64_t* indices, unsigned char* is_padding, tileproof_reply* reply);

  /* [map->results] values at a point, or *outside = 1 where it is not in the domain, else 0. */
  int (*map_evaluate)(const tileproof_map* map, const int64_t* dims, const int64_t* ranges,
                      const int64_t* runtime, int64_t* results, unsigned char* outside,
                      tileproof_reply* reply);
  /* The result is said to `reply`: a map. */
  int (*map_simplify)(const tileproof_map* map, tileproof_reply* reply);
  int (*map_compose)(const tileproof_map* first, const tileproof_map* second,
                     tileproof_reply* reply);
  /* Said to `reply`: the result as JSON, {"equal":true} */
  int (*map_equal)(const tileproof_map* left, const tileproof_map* right, tileproof_reply* reply);

  /* Said to `reply`: {"result":[..]}, with "inexact" beside it where there is such, as JSON. */
  int (*hlo_index)(const tileproof_hlo* hlo, tileproof_reply* reply);

  /* Nested layouts are texts, a coordinate is JSON: "[[1,0],2]". The two latter say a layout. */
  int (*tla_offset)(const char* layout, const char* coord, int64_t* offset, tileproof_reply* reply);
  int (*tla_make)(const char* tag, int64_t element_bits, int64_t rows, int64_t cols,
                  tileproof_reply* reply);
  int (*tla_tile)(const char* layout, const int64_t* tile, int64_t count, tileproof_reply* reply);
} tileproof_plugin;

/* What the library exports. Null, another version: it cannot be judged. */
const tileproof_plugin* tileproof_plugin_table(void);

#ifdef __cplusplus
}
#endif
#endif

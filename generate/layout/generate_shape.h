// SPDX-License-Identifier: Apache-2.0
// Generators of shapes with layouts.
//
// Every result of random_shape and bounded_shape is valid and has a text that parses as the same
// shape. Every valid layout of the stated sizes is possible. The generators favor what breaks
// formulas: tiles that do not divide each other or the array, `*` in first and later tiles, tiles
// longer and shorter than the rank, sizes 0 and 1, tails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {

// A bounded family of layouts, small enough for exhaustive runs.
struct ShapeFamily {
  int64_t max_rank = 2;
  std::vector<int64_t> sizes = {0, 1, 2, 3, 5};  // of dimensions
  int64_t max_tiles = 2;
  int64_t max_tile_rank = 2;
  std::vector<int64_t> tile_sizes = {1, 2, 3};
  bool combine = true;               // also `*`
  std::vector<int64_t> tails = {1};  // alignments L
};

// "rank <= 2 of sizes {0,1,2,3,5}, <= 2 tiles of rank <= 2 and sizes {1,2,3,*}, tails {1}"
std::string to_text(const ShapeFamily& family);

// The families that are small enough for every test run. Together they have every rank up to 3,
// tiles of rank 3, `*` in later tiles, and tails.
std::vector<ShapeFamily> small_families();

// Returns one shape of the family, with any minor_to_major. An Odometer visits all of them, once
// each.
Shape bounded_shape(Choose& choose, const ShapeFamily& family);

// Returns any valid shape with at most about `magnitude` elements before padding. Tiles are either
// of the kind that compilers use or arbitrary.
Shape random_shape(Choose& choose, int64_t magnitude);

// Returns a permutation of 0 .. rank-1. The simplest is rank-1, .., 1, 0, the order of rows.
std::vector<int64_t> permutation(Choose& choose, int64_t rank);

// Returns the text of a shape: mostly valid and canonical, sometimes in another spelling, sometimes
// broken by an edit.
std::string random_shape_text(Choose& choose);

// Makes one edit of a text that probably breaks it. Inserts characters of the alphabet or pieces of
// the text.
void edit_text(Choose& choose, std::string& text, absl::string_view alphabet);

// Returns a valid index, often a corner. No dimension may be 0.
std::vector<int64_t> random_index(Choose& choose, const std::vector<int64_t>& dims);

// A small change to a shape. A fuzzer mutates layouts this way, instead of flipping bits.

// Makes one change to an array shape: the size, kind or position of a dimension, a tile, a star,
// the tail, the width. The result is nearly always valid; but a tile may end in `*`, which is
// invalid.
void mutate_shape(Choose& choose, Shape& shape);

}  // namespace tileproof

// Generators of shapes with layouts.
//
// They promise: what random_shape and bounded_shape make can be written down and read back
// (validate() is OK), and every valid layout of the stated sizes can be made. They lean towards
// what breaks formulas: tiles that do not divide each other or the array, `*` in first and later
// tiles, tiles longer and shorter than the rank, sizes 0 and 1, tails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {

// A bounded family of layouts, small enough to go through whole.
struct ShapeFamily {
  int64_t max_rank = 2;
  std::vector<int64_t> sizes = {0, 1, 2, 3, 5};  // of dimensions
  int64_t max_tiles = 2;
  int64_t max_tile_rank = 2;
  std::vector<int64_t> tile_sizes = {1, 2, 3};
  bool combine = true;               // `*` too
  std::vector<int64_t> tails = {1};  // alignments L
};

// "rank <= 2 of sizes {0,1,2,3,5}, <= 2 tiles of rank <= 2 and sizes {1,2,3,*}, tails {1}"
std::string to_text(const ShapeFamily& family);

// The families that are small enough for every test run. Between them: every rank to 3, tiles of
// rank 3, later `*`, tails.
std::vector<ShapeFamily> small_families();

// One shape of the family, every minor_to_major. With an Odometer: all of them, once each.
Shape bounded_shape(Choose& choose, const ShapeFamily& family);

// Any valid shape. `magnitude` bounds the number of elements before padding, roughly: dimensions
// share its bits. Tiles are of the kind that compilers use, or arbitrary.
Shape random_shape(Choose& choose, int64_t magnitude);

// Text of a shape: mostly valid and canonical, sometimes spelled otherwise, sometimes broken by an
// edit.
std::string random_shape_text(Choose& choose);

// One edit of a text that probably breaks it; what is put in is of the alphabet, or of the text.
void edit_text(Choose& choose, std::string& text, absl::string_view alphabet);

// A valid index into the logical dimensions, none of which is 0: corners often.
std::vector<int64_t> random_index(Choose& choose, const std::vector<int64_t>& dims);

}  // namespace tileproof

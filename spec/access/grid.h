// SPDX-License-Identifier: Apache-2.0
// A grid of steps, as a kernel runs it: each step reads and writes a block of every operand.
//
//     grid [2, 4], out f32[16,256], block [8, 128], index map (i, j) -> (i, j floordiv 2)
//
//     step (1, 3) writes out[8:16, 128:256], and so did step (1, 2)
//
// Steps are numbered in row-major order: the last dimension of the grid is the fastest. A dimension
// is `parallel` (its steps may run in any order, at once) or `arbitrary` (they follow each other).
//
// The index map gives the number of the block along each dimension: block b of n elements begins at
// b * n. Along an `element` dimension it gives the first element, counted from the padding in front:
// a block of n elements begins at b - before. What lies outside of the array is padding.
//
//     inside     each block has an element of its array
//     covered    each element of an output is written
//     once       the steps that write an element follow each other without a gap
//     races      no two steps that differ in a parallel dimension touch an element that one of them
//                writes
//     aliases    an input that shares the memory of an output is read before it is overwritten
//
// This is the reference: it visits each element of each block. It is slow on purpose.
// Source: JAX, Pallas, "Grids and BlockSpecs" (docs/sources.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::spec {

struct BlockDimension {
  int64_t size = 1;               // elements of a block
  bool is_element = false;        // the index map gives the first element, not the block's number
  int64_t before = 0, after = 0;  // an `element` dimension: padding in front and behind

  bool operator==(const BlockDimension&) const = default;
};

struct GridOperand {
  std::string name;
  bool is_output = false;
  Dims shape;
  std::vector<BlockDimension> block;  // for each dimension of the shape
  IndexingMap index_map;              // its dimensions are those of the grid, with their sizes
  std::string alias = {};             // of an input: the output that has its memory, or ""
};

struct Grid {
  Dims sizes;
  std::vector<bool> is_parallel;  // for each dimension
  std::vector<GridOperand> operands;
};

using GridStep = std::vector<int64_t>;  // a point of the grid

// What refutes a fact.
struct GridFinding {
  std::string operand;
  std::optional<GridStep> at, before;  // the step, and an earlier one that it collides with
  std::vector<int64_t> block;          // inside: what the index map gives
  std::vector<int64_t> element;        // all others: of the array of the operand

  bool operator==(const GridFinding&) const = default;
};

// The first finding against each fact; nothing where it holds.
struct GridFacts {
  std::optional<GridFinding> inside, covered, once, races, aliases;
  int64_t blocks = 0, partly = 0;  // of all operands and steps; those that are partly padding
};

// Errors: sizes below 1 (of the grid 0), operands that do not fit the grid, index maps with range
// variables, an alias that is no output of the same shape; ResourceExhausted beyond `budget` elements;
// Unimplemented for an output or an alias whose index map depends on runtime variables.
absl::StatusOr<GridFacts> grid_facts(const Grid& grid, int64_t budget);

// Whether a step refutes a fact: it has a block without an element of its array; it writes an element
// that another step wrote before or writes later, with steps between that do not; it touches an
// element together with a step that may run at once, and one of both writes it. Errors: those of
// grid_facts, and a step that is not of the grid.
//
//     grid [4], arbitrary, out f32[2], block [1], index map (i) -> (i mod 2)
//
//     writes_with_a_gap at (0): step (2) writes out[0], too, and step (1) does not
absl::StatusOr<bool> leaves_its_arrays(const Grid& grid, const GridStep& step, int64_t budget);
absl::StatusOr<bool> writes_with_a_gap(const Grid& grid, const GridStep& step, int64_t budget);
absl::StatusOr<bool> has_race(const Grid& grid, const GridStep& step, int64_t budget);

// Whether some step writes an element of an output. Errors: those of grid_facts, and an element that
// is not of an output.
absl::StatusOr<bool> is_written(const Grid& grid, const std::string& output,
                                const std::vector<int64_t>& element, int64_t budget);

// The errors of a grid, but for those of its size.
absl::Status validate(const Grid& grid);

// The elements of a block along a dimension, [low, high], without what is padding; empty if all is.
Interval elements_along(const BlockDimension& block, int64_t size, int64_t index);

// The number of a step.
int64_t step_number(const Grid& grid, const GridStep& step);
GridStep step_at(const Grid& grid, int64_t number);

// Whether two steps differ in a parallel dimension.
bool run_at_once(const Grid& grid, const GridStep& a, const GridStep& b);

}  // namespace tileproof::spec

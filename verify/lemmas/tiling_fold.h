// SPDX-License-Identifier: Apache-2.0
// Padded, repeated tilings are bijections, for all sizes and tiles of a given list of steps: folds
// the tiling lemmas over the dimensions.
//
// The induction in verify/lemmas/tilings.v shows this for every list at once, but only where Coq is
// installed. What this file adds: it derives the claim from the lemmas and their certificates
// alone, in every `tileproof prove lemmas` and every test run. model_steps_test
// (verify/prove/layout) folds the reference's own lists of steps.
//
// A tiling is a list of steps on an array of indices and sizes, as in the layout documents:
//     split(k)     dimension k, of index e and size n, becomes tile number e floordiv t of
//                  ceildiv(n, t) and position e mod t of t; it is padded to ceildiv(n, t) * t
//     combine(k)   dimensions k and k + 1 become one: i * n + j
//     move(p)      dimension p[0] comes first, then p[1], ..
//     one()        inserts a dimension of size 1 in front
// followed by combining everything into one number, the offset. Sizes and tiles are symbols; only
// the rank and the list of steps are fixed. Instances of the lemmas of impl/lemmas/lemmas_tiling.h
// alone show:
//     encode   every index within the sizes has an offset within the total size, and undoing the
//              steps one by one returns the index: no two elements share an offset;
//     decode   undoing the steps for an offset within the total size gives an index within the
//              padded sizes. If it is within the sizes that were split, the steps lead back to the
//              offset; otherwise the offset is padding: every offset is one element or padding.
//
// How this follows from one lemma for each step: the claim for a list of steps follows from the
// claim for the list without its last step, and one lemma about that step. The lemma's hypotheses
// (the index of each dimension is within its size, which is therefore positive) are exactly what
// the previous step guarantees. For split, the lemmas are split-in-bounds and split-undone; for
// combine, combine-in-bounds and the two digit lemmas; move and one change no value. The claim
// holds for the empty list. This file unrolls that induction for the requested lists, and checks
// each instance.
//
// The array has an element. Otherwise a size is 0, the total size is 0, and there is nothing to
// show.
//
// The check is syntactic, without a solver: an instance may be used if each of its hypotheses, as a
// polynomial over its floors (verify/lemmas/proof_script.h), is an assumption or an earlier
// conclusion.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tileproof::lemmas {

struct TilingStep {
  enum Kind { kSplit, kCombine, kMove, kOne } kind;
  size_t dimension = 0;            // kSplit, kCombine
  std::vector<size_t> order = {};  // kMove: each dimension once
};

// Returns the steps of a layout's tiles. The k-th tile splits the last tile_ranks[k] dimensions;
// their positions in the tile become the last dimensions. A tile of higher rank than the array
// inserts ones in front. combine_first: the first tile first combines its two most major dimensions
// (`*`), if it has two.
std::vector<TilingStep> tiling_steps(size_t rank, const std::vector<size_t>& tile_ranks,
                                     bool combine_first);

struct TilingFold {
  int instances = 0;                // used instances of lemmas
  std::vector<std::string> lemmas;  // their names, each once, sorted
};

// Proves this list of steps on an array of this rank. An error names the step and the fact that
// could not be shown.
absl::StatusOr<TilingFold> fold_tiling(size_t rank, const std::vector<TilingStep>& steps);

// Folds, one after the other, every list of one or two tiles (the first of rank up to `rank` + 1,
// the second up to `rank`), and of three tiles if the third has rank up to most_third; each also
// with the first tile combining. Adds up the instances.
struct RankFold {
  size_t rank = 0;
  int tilings = 0;
  int64_t instances = 0;
  std::vector<std::string> lemmas;
};
absl::StatusOr<RankFold> fold_all_tilings(size_t rank, size_t most_third);

}  // namespace tileproof::lemmas

// Every padded, repeated tiling is a bijection, for all sizes: the tiling lemmas folded over the
// dimensions.
//
// A tiling is a list of steps on an array of indices and sizes, as the layout documents describe
// it:
//     split(k)     dimension k, of index e and size n, becomes tile number e floordiv t of
//                  ceildiv(n, t) and place e mod t of t; it is padded to ceildiv(n, t) * t
//     combine(k)   dimensions k and k + 1 become one: i * n + j
//     move(p)      dimension p[0] comes first, then p[1], ..
//     one()        a dimension of size 1 is put in front
// followed by combining everything into one number, the offset. Sizes and tiles are symbols: only
// the rank and the list of steps are given. Shown, by instances of the lemmas of
// impl/lemmas/lemmas_tiling.h and nothing else:
//     encode   every index within the sizes gives an offset within the total size, and undoing the
//              steps one by one gives the index back: no two elements share an offset;
//     decode   every offset within the total size gives, undoing the steps, places within the
//              padded sizes; where these are within the sizes that were split (elsewhere there is
//              padding), the steps lead back: every offset is one element or padding.
//
// Why this reaches every rank. The claim for a list of steps follows from the claim for the list
// without its last step and one lemma about that step, whose hypotheses (the index of each
// dimension is within its size, which is therefore positive) are exactly what the step before
// leaves: for split, split-in-bounds and split-undone; for combine, combine-in-bounds and the two
// digit lemmas; moving and adding a one change no value. So it holds for no steps, and whenever it
// holds for a list, it holds for the list with one more step: for every list, by induction. What is
// run here is that induction unrolled, with each instance checked, for all tilings of rank 1 to 8
// that are asked for.
//
// The array has an element: otherwise one of its sizes is 0, the total size is 0, and there is
// nothing to show.
//
// The check is syntactic: an instance may be used when each of its hypotheses is, as a polynomial
// over its floors (verify/lemmas/proof_script.h), a fact that was assumed or concluded before. No
// solver is asked.
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

// The steps of the tiles of a layout: tile_ranks[k] is how many of the last dimensions the k-th
// tile splits; their places in the tile become the last dimensions. A tile of higher rank than the
// array puts ones in front. combine_first: the first tile joins its two most major dimensions
// beforehand (`*`), where it has two.
std::vector<TilingStep> tiling_steps(size_t rank, const std::vector<size_t>& tile_ranks,
                                     bool combine_first);

struct TilingFold {
  int instances = 0;                // of lemmas that were used
  std::vector<std::string> lemmas;  // their names, each once, sorted
  std::string derivation;           // one line for each instance: lemma, terms, conclusion
};

// The proof for this list of steps on an array of this rank. An error names the step and what could
// not be shown. derive: write the derivation, which is long for high ranks.
absl::StatusOr<TilingFold> fold_tiling(size_t rank, const std::vector<TilingStep>& steps,
                                       bool derive);

// One after the other: every list of one or two tiles, the first of a rank up to `rank` + 1, the
// second up to `rank`, and of three where the third has a rank up to most_third; each also with the
// first tile combining. The instances are added up.
struct RankFold {
  size_t rank = 0;
  int tilings = 0;
  int64_t instances = 0;
  std::vector<std::string> lemmas;
};
absl::StatusOr<RankFold> fold_all_tilings(size_t rank, size_t most_third);

}  // namespace tileproof::lemmas

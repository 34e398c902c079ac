// SPDX-License-Identifier: Apache-2.0
// The cost model of extraction: the number of nodes of the tree, then, between equal counts, the
// size of the constants. Extraction chooses the cheapest tree (impl/map/extraction/extraction.h).
//
//     (d0 mod 4) * 64 + d1        7 nodes, plus the bits of 4 and of 64
#pragma once

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

inline constexpr int64_t kNodeCost = 1 << 16;  // of one node; a bit of a constant costs 1
inline constexpr int64_t kMaxCost = int64_t{1} << 44;

// The cost of a constant besides its node: its size in bits, plus 16 for a minus sign. So of equal
// trees the one with smaller numbers is cheaper.
int64_t constant_cost(int64_t value);

// A lower bound of atom_cost (impl/map/extraction/extraction.h), for atoms whose rendering is not
// known yet.
int64_t least_atom_cost(NormalFormContext& context, int32_t atom);

// The cost of the combination without further rewrites, given the cost of each atom. Terms with the
// same factor share it: `(a + b) * 4`.
int64_t cost_of(NormalFormContext& context, const Linear& rendering,
                int64_t (*cost_of_atom)(NormalFormContext&, int32_t));

// Cheaper, or equally cheap and first in an order that does not depend on earlier computations.
bool is_better(const Atoms& context, const Extraction& a, const Extraction& b);

// Returns whether a rendering that costs at least `least` may be better than the best so far. An
// equally cheap one may.
inline bool may_win(int64_t least, const Extraction& best) { return least <= best.cost; }

// Returns whether this rendering has no alternative, so that its cost is final.
bool is_written_at_once(const Atoms& context, const Linear& rendering);

// A lower bound of the cost of every rendering reachable from `rendering`: rewrites introduce div
// and mod terms, and keep existing ones or absorb them.
int64_t least_cost_of(NormalFormContext& context, const Linear& rendering);

// A lower bound of the cost of an operand equal to s modulo b: its terms, with any factors.
int64_t least_operand_cost(const Atoms& context, const Linear& s, int64_t b);

// A lower bound of the cost of rest + k * term, for any rendering of the rest. `term_cost` is the
// cost of the term, and k its factor.
int64_t least_cost_with(NormalFormContext& context, const Linear& rest, int64_t k,
                        int64_t term_cost);

}  // namespace tileproof::impl

// What words cost: the nodes of the tree that they are written as, and then, between equal trees,
// the size of their constants. The presentation takes the cheapest (impl/map/extraction/extraction.h).
//
//     (d0 mod 4) * 64 + d1        7 nodes, and the bits of 4 and of 64
#pragma once

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

inline constexpr int64_t kNodeCost = 1 << 16;  // of one node; a bit of a constant costs 1
inline constexpr int64_t kMaxCost = int64_t{1} << 44;

// What a constant adds to the price of its node: its size in bits, so that of equal trees the one
// with the smaller numbers is taken, and for a minus sign as much as for 16 bits.
int64_t constant_cost(int64_t value);

// The price of an atom in its cheapest words; the second of an atom whose words are not known yet
// is one that is never above it.
int64_t atom_cost(NormalFormContext& context, int32_t atom);
int64_t least_atom_cost(NormalFormContext& context, int32_t atom);

// The price of the words as they are, by the prices of atoms. A factor is written once for all its
// terms: `(a + b) * 4`.
int64_t cost_of(NormalFormContext& context, const Linear& rendering,
                int64_t (*cost_of_atom)(NormalFormContext&, int32_t));

// Cheaper, or as cheap and first in an order that does not depend on what was made before.
bool is_better(const NormalFormContext& context, const Extraction& a, const Extraction& b);

// Whether words of at least this price may be better than the best so far: those that are as cheap
// may, too.
inline bool may_win(int64_t least, const Extraction& best) { return least <= best.cost; }

// True if there are no other words for these, so that the price as they are is their price.
bool is_written_at_once(const NormalFormContext& context, const Linear& rendering);

// Never above the price of what these words become: moves make words of what is none, and leave
// those that are there, or take them in.
int64_t least_cost_of(NormalFormContext& context, const Linear& rendering);

// Never above the price of an operand equal to s modulo b: its terms, whatever their factors.
int64_t least_operand_cost(const NormalFormContext& context, const Linear& s, int64_t b);

// Never above the price of rest + k * word, whatever becomes of the rest.
int64_t least_cost_with(NormalFormContext& context, const Linear& rest, int64_t k,
                        int64_t term_cost);

}  // namespace tileproof::impl

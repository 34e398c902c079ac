// SPDX-License-Identifier: Apache-2.0
// Extraction: the shortest expression for a normal form, as in e-graphs.
//
// A normal form has no mods, but people and code generators want them. A rendering is a combination
// of the atoms of the normal form, of mods, and of quotients whose operand is not reduced. Two
// kinds of rewrites lead from a normal form to other renderings of the same value:
//
//   to a mod       C * floor(I / c) with C = -k*b becomes k * (S mod b) plus other terms, where
//                  S is floor(I / (c/b)) up to multiples of b, chosen so that terms vanish
//   into a floor   C * q * x + C * floor(I / c) becomes C * floor((I + c*q*x) / c)
//
// Each also applies to -floor((-I + c - 1) / c) in place of floor(I / c). A rewrite may guess S:
// the normal form of S mod b (its meaning, see mod_atom) determines the other terms. Example:
//
//     7*s0 - 12*floor(s0 / 3)        (s0 mod 3) * 4 + s0 * 3
//
// A rewrite is skipped if its result is sure to cost more than the best so far. The cheapest
// rendering (impl/map/extraction/cost.h) depends only on the normal form and the domain, so equal
// normal forms have one text.
#pragma once

#include "impl/map/extraction/cost.h"
#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/map/expr.h"

namespace tileproof::impl {

// Starts the search for one expression of a map. After a fixed amount of work in calls of extract,
// the best so far wins. Hardly any expression needs that much.
void begin_search(Search& context);

// Returns whether the search took at most half of that. If not, another search for the same normal
// form, which finds other results memoized, may end early and choose another rendering.
bool search_was_short(const Search& context);
bool search_ended_early(const Search& context);

// The cheapest rendering found for a normal form, if it costs at most `bound`. Otherwise the cost is
// higher, and `found` may be unset.
Extraction extract(NormalFormContext& context, Linear form, int64_t bound = kMaxCost);

// The cost of an atom in its cheapest rendering.
int64_t atom_cost(NormalFormContext& context, int32_t atom);

// The number of variables of each kind, which determines how an atom's variable is named.
struct VariableCounts {
  int64_t dimensions = 0;
  int64_t ranges = 0;
};

// Appends the tree of this rendering to the table. Sums have a fixed order: terms with dimensions
// before terms without; then products, mods, floordivs, dimensions, ranges, runtime variables; the
// constant last.
NodeId render(NormalFormContext& context, const Linear& rendering, const VariableCounts& counts,
              ExprTable& table);

// Compares two sums in that order: negative, 0 or positive.
int compare_renderings(NormalFormContext& context, const Linear& a, const Linear& b);

}  // namespace tileproof::impl

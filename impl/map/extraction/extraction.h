// The presentation: the shortest words for a normal form.
//
// People and code generators want mods back. A spelling is a combination over words: the atoms of
// the normal form, and besides them mods and quotients with an operand that is not reduced. Two
// kinds of moves lead from a normal form to other words for the same value:
//
//   to a mod       C * floor(I / c) with C = -k*b becomes k * (S mod b) plus what is left, where
//                  S is floor(I / (c/b)) up to multiples of b, chosen so that terms vanish
//   into a floor   C * q * x + C * floor(I / c) becomes C * floor((I + c*q*x) / c)
//
// and each of the two also with -floor((-I + c - 1) / c) in place of floor(I / c). Whatever a move
// guesses, the normal form decides: a mod is taken for what mod_atom says it means. Example:
//
//     7*s0 - 12*floor(s0 / 3)        (s0 mod 3) * 4 + s0 * 3
//
// A move whose words are sure to cost more than the best so far is not made. The cheapest words
// (impl/map/extraction/cost.h) are a function of the normal form and the domain alone, so equal
// normal forms have one text.
#pragma once

#include "impl/map/normal_form/normal_form.h"
#include "spec/lang/map/expr.h"

namespace tileproof::impl {

// The cheapest words found for a normal form.
Extraction extract(NormalFormContext& context, Linear form);

// How variables are named when an atom is written.
struct VariableCounts {
  int64_t dimensions = 0;
  int64_t ranges = 0;
};

// Appends the tree of these words to the table. Sums are in a fixed order: what has dimensions
// before what has none; products, mods, floordivs, dimensions, ranges, runtime variables; the
// constant last.
NodeId render(NormalFormContext& context, const Linear& rendering, const VariableCounts& counts,
              ExprTable& table);

// Two sums of words in that order: negative, 0 or positive.
int compare_renderings(NormalFormContext& context, const Linear& a, const Linear& b);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/cost.h"

#include <algorithm>
#include <bit>

namespace tileproof::impl {

int64_t constant_cost(int64_t value) {
  const auto size = static_cast<uint64_t>(value < 0 ? -(value + 1) : value);
  return std::bit_width(size) + (value < -1 ? 16 : 0);
}

bool is_better(const Atoms& context, const Extraction& a, const Extraction& b) {
  if (a.cost != b.cost) return a.cost < b.cost;
  return key_of(context, a.rendering) < key_of(context, b.rendering);
}

int64_t least_atom_cost(NormalFormContext& context, int32_t atom) {
  const Atom& it = context.atoms[atom];
  if (it.kind == AtomKind::kVariable) return kNodeCost;
  return it.cost >= 0 ? it.cost : 3 * kNodeCost;  // an operation and its operands
}

int64_t cost_of(NormalFormContext& context, const Linear& rendering,
                int64_t (*cost_of_atom)(NormalFormContext&, int32_t)) {
  int64_t cost = 0;
  for (const Term& term : rendering) {
    cost += cost_of_atom(context, term.atom) + kNodeCost;
    if (term.factor == 1) continue;
    // The first of the terms with this factor pays for the factor.
    bool first = true;
    for (const Term* other = rendering.begin(); other != &term && first; ++other) {
      first = other->factor != term.factor;
    }
    if (first) cost += 2 * kNodeCost + constant_cost(term.factor);
  }
  if (rendering.constant != 0 || rendering.count == 0) {
    cost += kNodeCost + constant_cost(rendering.constant);
  }
  if (rendering.constant == 0 && rendering.count > 0)
    cost -= kNodeCost;  // n summands need n - 1 plus
  return std::min(cost, kMaxCost);
}

bool is_written_at_once(const Atoms& context, const Linear& rendering) {
  return std::none_of(rendering.begin(), rendering.end(), [&](const Term& term) {
    const AtomKind kind = context.atoms[term.atom].kind;
    return kind == AtomKind::kFloor || kind == AtomKind::kProduct;
  });
}

int64_t least_cost_of(NormalFormContext& context, const Linear& rendering) {
  if (is_written_at_once(context, rendering)) return cost_of(context, rendering, least_atom_cost);
  int64_t cost = kNodeCost;  // of the other terms, if a rendering term absorbs them
  for (const Term& term : rendering) {
    const bool is_rendering = context.atoms[term.atom].kind >= AtomKind::kMod;
    if (is_rendering) cost += least_atom_cost(context, term.atom) + kNodeCost;
  }
  return std::max(cost, 3 * kNodeCost);
}

int64_t least_operand_cost(const Atoms& context, const Linear& s, int64_t b) {
  int64_t nodes = s.constant % b == 0 ? -1 : 1;
  bool factor = false;
  for (const Term& term : s) {
    const int64_t r = floor_remainder(term.factor, b);
    if (r == 0) continue;
    const AtomKind kind = context.atoms[term.atom].kind;
    if (kind == AtomKind::kFloor || kind == AtomKind::kProduct) return 3 * kNodeCost;
    nodes += 2;
    factor |= r != 1;
  }
  return std::max<int64_t>(nodes + (factor ? 2 : 0), 1) * kNodeCost;
}

int64_t least_cost_with(NormalFormContext& context, const Linear& rest, int64_t k,
                        int64_t term_cost) {
  if (rest.count == 0 && rest.constant == 0) {
    return term_cost + (k == 1 ? 0 : 2 * kNodeCost + constant_cost(k));
  }
  if (!is_written_at_once(context, rest)) return term_cost + 2 * kNodeCost;
  const bool shared = k == 1 || std::any_of(rest.begin(), rest.end(),
                                            [&](const Term& term) { return term.factor == k; });
  return term_cost + cost_of(context, rest, least_atom_cost) + kNodeCost +
         (shared ? 0 : 2 * kNodeCost + constant_cost(k));
}

}  // namespace tileproof::impl

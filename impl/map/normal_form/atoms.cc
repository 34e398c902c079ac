// SPDX-License-Identifier: Apache-2.0
// Atoms: each is made once, with its range and, if it is a term of renderings, its meaning.
#include <algorithm>

#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/normal_form.h"
#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2));
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 27);
}

}  // namespace

uint64_t key_of(const Atoms& context, const Linear& a) {
  uint64_t sum = 0;
  for (const Term& term : a) {
    sum += mix(context.atoms[term.atom].key, static_cast<uint64_t>(term.factor));
  }
  return mix(static_cast<uint64_t>(a.constant), sum);
}

namespace {

uint64_t key_of(const Atoms& context, AtomKind kind, const Linear& inside, int64_t divisor) {
  const uint64_t operation = mix(static_cast<uint64_t>(kind), static_cast<uint64_t>(divisor));
  return mix(operation, key_of(context, inside));
}

int32_t add_atom(NormalFormContext& context, FormIndex& index, AtomKind kind, const FormKey& key) {
  const Linear& inside = key.form;
  Atom atom;
  atom.kind = kind;
  atom.inside = inside;
  atom.divisor = key.number;
  for (const Term& term : inside) {
    const Atom& part = context.atoms[term.atom];
    atom.has_dimension |= part.has_dimension;
    atom.depth = std::max(atom.depth, part.depth);
  }
  ++atom.depth;
  if (atom.depth > kMaxFormDepth) context.gave_up = true;
  atom.key = key_of(context, kind, inside, atom.divisor);
  const auto number = static_cast<int32_t>(context.atoms.size());
  context.atoms.push_back(atom);
  index.insert(key, number);
  return number;
}

Range product_range(const Atoms& context, const Linear& powers) {
  Range result{1, 1};
  for (const Term& term : powers) {
    const Range& range = context.atoms[term.atom].range;
    if (!fits(range)) return range;  // the caller gives up
    for (int64_t i = 0; i < term.factor; ++i) {
      const Wide ends[] = {result.low * range.low, result.low * range.high, result.high * range.low,
                           result.high * range.high};
      result = {*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
      // The caller gives up; return here only so that the next factor cannot wrap.
      if (!fits(result)) return result;
    }
  }
  return result;
}

}  // namespace

int32_t product_atom(NormalFormContext& context, const Linear& powers) {
  constexpr int64_t kMaxDegree = 16;
  int64_t degree = 0;
  for (const Term& term : powers) degree += term.factor;
  if (degree > kMaxDegree) context.gave_up = true;
  const FormKey key(powers);
  if (const int32_t found = context.products.find(key); found >= 0) return found;
  const int32_t atom = add_atom(context, context.products, AtomKind::kProduct, key);
  const Range range = product_range(context, powers);
  if (!fits(range)) context.gave_up = true;
  context.atoms[atom].range = range;
  return atom;
}

int32_t floor_atom(NormalFormContext& context, Linear inside, int64_t divisor) {
  const FormKey key(inside, divisor);
  if (const int32_t found = context.floors.find(key); found >= 0) return found;
  const Range range = range_of(context, inside);
  const int32_t atom = add_atom(context, context.floors, AtomKind::kFloor, key);
  context.atoms[atom].range = {floor_wide(range.low, divisor), floor_wide(range.high, divisor)};
  if (!fits(context.atoms[atom].range)) context.gave_up = true;
  if (is_logging(context)) log_floor_range(context, atom, range);
  return atom;
}

namespace {

int32_t rendering_atom(NormalFormContext& context, FormIndex& index, AtomKind kind,
                       const FormKey& key, const Linear& meaning) {
  const int64_t divisor = key.number;
  const int32_t atom = add_atom(context, index, kind, key);
  context.atoms[atom].meaning = meaning;
  context.atoms[atom].range = kind == AtomKind::kMod && divisor > 0
                                  ? Range{0, divisor - 1}
                                  : interval_sum(context, meaning);
  return atom;
}

}  // namespace

int32_t mod_atom(NormalFormContext& context, Linear inside, int64_t divisor) {
  const FormKey key(inside, divisor);
  if (const int32_t found = context.mods.find(key); found >= 0) return found;
  const Linear meaning = remainder_of(context, inside, divisor);
  return rendering_atom(context, context.mods, AtomKind::kMod, key, meaning);
}

int32_t quotient_atom(NormalFormContext& context, Linear inside, int64_t divisor) {
  const FormKey key(inside, divisor);
  if (const int32_t found = context.quotients.find(key); found >= 0) return found;
  const Linear meaning = floor_division(context, meaning_of(context, inside), divisor);
  return rendering_atom(context, context.quotients, AtomKind::kQuotient, key, meaning);
}

int32_t ceiling_atom(NormalFormContext& context, Linear inside, int64_t divisor) {
  const FormKey key(inside, divisor);
  if (const int32_t found = context.ceilings.find(key); found >= 0) return found;
  const Linear meaning = ceil_division(context, meaning_of(context, inside), divisor);
  return rendering_atom(context, context.ceilings, AtomKind::kCeiling, key, meaning);
}

int32_t sum_atom(NormalFormContext& context, Linear inside) {
  const FormKey key(inside);
  if (const int32_t found = context.sums.find(key); found >= 0) return found;
  const Linear meaning = meaning_of(context, inside);
  return rendering_atom(context, context.sums, AtomKind::kSum, key, meaning);
}

int32_t factored_atom(NormalFormContext& context, Linear powers, Linear meaning) {
  const FormKey key(powers);
  if (const int32_t found = context.factored.find(key); found >= 0) return found;
  return rendering_atom(context, context.factored, AtomKind::kFactored, key, meaning);
}

int32_t written_atom(NormalFormContext& context, AtomKind kind, Linear inside, int64_t divisor,
                     const Range& range) {
  FormIndex& index = kind == AtomKind::kMod        ? context.mods
                     : kind == AtomKind::kQuotient ? context.quotients
                     : kind == AtomKind::kFloor    ? context.floors
                                                   : context.ceilings;
  const FormKey key(inside, divisor);
  if (const int32_t found = index.find(key); found >= 0) return found;
  const int32_t atom = add_atom(context, index, kind, key);
  context.atoms[atom].range = range;
  return atom;
}

Linear meaning_of(NormalFormContext& context, const Linear& rendering) {
  Linear sum = constant(rendering.constant);
  for (const Term& term : rendering) {
    const Atom& atom = context.atoms[term.atom];
    const bool is_rendering = atom.kind >= AtomKind::kMod;
    sum = plus(context, sum, is_rendering ? atom.meaning : Linear{&term, 1, 0},
               is_rendering ? term.factor : 1);
  }
  return sum;
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Recognizes a form that is, as a whole, the remainder of a division.
#include <algorithm>
#include <random>

#include "impl/map/normal_form/floors.h"

namespace tileproof::impl {
namespace {

// Pseudorandom values between the bounds, always the same for an atom.
Samples between_bounds(const Atom& atom) {
  Samples values;
  std::minstd_rand random(static_cast<uint32_t>(atom.key));
  const Wide width = atom.range.high - atom.range.low;
  constexpr Wide kNarrow = Wide{1} << 32;
  if (width < kNarrow && fits(atom.range)) {  // the same, with 64 bits
    const auto low = static_cast<int64_t>(atom.range.low);
    for (int64_t& value : values) {
      value = low + static_cast<int64_t>(static_cast<uint64_t>(width) * random() /
                                         std::minstd_rand::max());
    }
    return values;
  }
  for (int64_t& value : values) {
    const Wide inside = width * random() / std::minstd_rand::max();
    value = static_cast<int64_t>(atom.range.low + inside);
  }
  return values;
}

// The values of a form, modulo 2^64: a wrong guess if they are larger.
Samples values_of(const NormalFormContext& context, const Linear& form) {
  Samples values;
  values.fill(form.constant);
  for (const Term& term : form) {
    const Samples& atom = context.samples[term.atom].values;
    const auto factor = static_cast<uint64_t>(term.factor);
    for (size_t point = 0; point < values.size(); ++point) {
      const uint64_t part = static_cast<uint64_t>(atom[point]) * factor;
      values[point] = static_cast<int64_t>(static_cast<uint64_t>(values[point]) + part);
    }
  }
  return values;
}

// Takes samples of the atoms of the form, and of the atoms inside them.
void take_samples(NormalFormContext& context, const Linear& form) {
  if (context.samples.size() < context.atoms.size()) context.samples.resize(context.atoms.size());
  for (const Term& term : form) {
    if (context.samples[term.atom].taken) continue;
    const Atom& atom = context.atoms[term.atom];
    Samples values{};
    if (atom.kind == AtomKind::kFloor) {
      take_samples(context, atom.inside);
      values = values_of(context, atom.inside);
      for (int64_t& value : values) value = floor_quotient(value, atom.divisor);
    } else if (atom.kind < AtomKind::kMod) {  // rendering terms need no samples
      values = between_bounds(atom);
    }
    context.samples[term.atom] = {values, true};
  }
}

// Returns whether the form has a floor with a factor below -1.
bool may_be_mod(const NormalFormContext& context, const Linear& form) {
  return std::any_of(form.begin(), form.end(), [&](const Term& term) {
    return term.factor < -1 && context.atoms[term.atom].kind == AtomKind::kFloor;
  });
}

// x - c * floor, if that is (x + t) mod c - t for the smallest t that its values allow.
std::optional<Linear> mod_by_floor(NormalFormContext& context, const Linear& form,
                                   const Term& floor, const Samples& values) {
  const int64_t c = -floor.factor;
  const auto [low, high] = std::ranges::minmax(values);
  const Wide least = std::max<Wide>(0, -Wide{low});
  if (least + high >= c) return std::nullopt;
  const auto t = static_cast<int64_t>(least);
  const Linear operand = plus(context, without_atom(context, form, floor.atom), constant(t));
  if (!(floor_of(context, operand, c) == atom_form(context, floor.atom))) return std::nullopt;
  return plus(context, atom_form(context, mod_atom(context, operand, c)), constant(-t));
}

}  // namespace

std::optional<Linear> recognize_mod(NormalFormContext& context, const Linear& form) {
  if (!has_small_factors(form)) return std::nullopt;
  const int64_t k = content(form);
  for (const int64_t unit : {k, -k}) {
    const Linear parts = divided(context, form, unit);
    if (!may_be_mod(context, parts)) continue;
    take_samples(context, parts);
    const Samples values = values_of(context, parts);
    for (const Term& term : parts) {
      if (context.atoms[term.atom].kind != AtomKind::kFloor) continue;
      if (const auto mod = mod_by_floor(context, parts, term, values))
        return times(context, *mod, unit);
    }
  }
  return std::nullopt;
}

}  // namespace tileproof::impl

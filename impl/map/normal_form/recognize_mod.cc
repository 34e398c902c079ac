// SPDX-License-Identifier: Apache-2.0
#include "impl/map/normal_form/recognize_mod.h"

#include <algorithm>
#include <random>

#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/ranges.h"

namespace tileproof::impl {
namespace {

// Pseudorandom values between the bounds, always the same for an atom.
Samples between_bounds(const Atom& atom) {
  Samples values;
  std::minstd_rand random(static_cast<uint32_t>(atom.key));
  for (int64_t& value : values) {
    const Wide inside = (atom.range.high - atom.range.low) * random() / random.max();
    value = static_cast<int64_t>(atom.range.low + inside);
  }
  return values;
}

// Modulo 2^64: a wrong guess if the value is larger.
int64_t value_at(const NormalFormContext& context, const Linear& form, size_t point) {
  auto sum = static_cast<uint64_t>(form.constant);
  for (const Term& term : form) {
    const auto value = static_cast<uint64_t>(context.samples[term.atom][point]);
    sum += value * static_cast<uint64_t>(term.factor);
  }
  return static_cast<int64_t>(sum);
}

Samples values_of(const NormalFormContext& context, const Linear& form) {
  Samples values;
  for (size_t point = 0; point < values.size(); ++point) {
    values[point] = value_at(context, form, point);
  }
  return values;
}

Samples values_of(const NormalFormContext& context, const Atom& atom) {
  if (atom.kind >= AtomKind::kMod) return {};  // rendering terms need no samples
  if (atom.kind != AtomKind::kFloor) return between_bounds(atom);
  Samples values = values_of(context, atom.inside);
  for (int64_t& value : values) value = floor_quotient(value, atom.divisor);
  return values;
}

// Takes samples of all atoms. Each comes after the atoms inside it.
void take_samples(NormalFormContext& context) {
  while (context.samples.size() < context.atoms.size()) {
    context.samples.push_back(values_of(context, context.atoms[context.samples.size()]));
  }
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
  take_samples(context);
  for (const int64_t unit : {k, -k}) {
    const Linear parts = divided(context, form, unit);
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

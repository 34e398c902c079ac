// SPDX-License-Identifier: Apache-2.0
#include "impl/map/normal_form/normal_form.h"

#include <algorithm>

#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/ranges.h"
#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {
namespace {

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2));
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 27);
}

}  // namespace

uint64_t key_of(const NormalFormContext& context, const Linear& a) {
  uint64_t sum = 0;
  for (const Term& term : a) {
    sum += mix(context.atoms[term.atom].key, static_cast<uint64_t>(term.factor));
  }
  return mix(static_cast<uint64_t>(a.constant), sum);
}

namespace {

uint64_t key_of(const NormalFormContext& context, AtomKind kind, const Linear& inside,
                int64_t divisor) {
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

Range product_range(const NormalFormContext& context, const Linear& powers) {
  Range result{1, 1};
  for (const Term& term : powers) {
    const Range& range = context.atoms[term.atom].range;
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

// The atom as powers of atoms that are not products.
Linear powers_of(NormalFormContext& context, int32_t atom) {
  if (context.atoms[atom].kind == AtomKind::kProduct) return context.atoms[atom].inside;
  return atom_form(context, atom);
}

}  // namespace

void clear(NormalFormContext& context) {
  context.arena.clear();
  context.atoms.clear();
  for (FormIndex* index : {&context.floors, &context.products, &context.mods, &context.quotients,
                           &context.ceilings, &context.sums, &context.factored, &context.floor_memo,
                           &context.range_memo, &context.extraction_memo}) {
    index->clear();
  }
  context.floor_results.clear();
  context.range_results.clear();
  context.extractions.clear();
  context.assumptions.clear();
  context.samples.clear();
  context.search = {};
  context.work_before += context.work;
  context.work = 0;
  context.work_end = std::min(context.max_work, context.max_total - context.work_before);
  context.gave_up = false;
}

void begin_work(NormalFormContext& context) {
  context.work_before = 0;
  context.work = 0;
}

void add_variable(NormalFormContext& context, Range range, bool is_dimension) {
  Atom atom;
  atom.has_dimension = is_dimension;
  atom.range = range;
  atom.key = context.atoms.size() + 1;
  const auto number = static_cast<int32_t>(context.atoms.size());
  context.atoms.push_back(atom);
  context.atoms.back().meaning = atom_form(context, number);
}

Linear variable_form(NormalFormContext& context, int32_t variable) {
  const Range& range = context.atoms[variable].range;
  if (range.low == range.high) return constant(static_cast<int64_t>(range.low));
  return context.atoms[variable].meaning;
}

bool has_small_factors(const Linear& a) {
  return std::all_of(a.begin(), a.end(), [](const Term& term) {
    return -kSmallFactor < term.factor && term.factor < kSmallFactor;
  });
}

Linear without_atom(NormalFormContext& context, const Linear& a, int32_t atom) {
  Term* out = context.arena.reserve(a.count);
  int32_t count = 0;
  for (const Term& term : a) {
    if (term.atom != atom) out[count++] = term;
  }
  context.arena.keep(count);
  return {out, count, a.constant};
}

Linear divided(NormalFormContext& context, const Linear& a, int64_t g) {
  Term* out = context.arena.reserve(a.count);
  int32_t count = 0;
  for (const Term& term : a) out[count++] = {term.atom, term.factor / g};
  context.arena.keep(count);
  return {out, count, a.constant / g};
}

Linear plus(NormalFormContext& context, const Linear& a, const Linear& b, int64_t factor) {
  Linear sum;
  int64_t scaled;
  bool overflow = __builtin_mul_overflow(b.constant, factor, &scaled);
  overflow |= __builtin_add_overflow(a.constant, scaled, &sum.constant);
  if (b.count == 0) {
    context.gave_up |= overflow;
    sum.terms = a.terms;
    sum.count = a.count;
    return sum;
  }
  if (a.count == 0 && factor == 1) {
    context.gave_up |= overflow;
    sum.terms = b.terms;
    sum.count = b.count;
    return sum;
  }
  Term* out = context.arena.reserve(a.count + b.count);
  sum.terms = out;
  const Term* x = a.begin();
  const Term* y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (x->atom < y->atom) {
      *out++ = *x++;
      continue;
    }
    Term term{y->atom, 0};
    overflow |= __builtin_mul_overflow(y->factor, factor, &term.factor);
    if (x->atom == y->atom) {
      overflow |= __builtin_add_overflow(term.factor, x->factor, &term.factor);
      ++x;
    }
    ++y;
    if (term.factor != 0) *out++ = term;
  }
  while (x != a.end()) *out++ = *x++;
  for (; y != b.end(); ++y) {
    Term term{y->atom, 0};
    overflow |= __builtin_mul_overflow(y->factor, factor, &term.factor);
    if (term.factor != 0) *out++ = term;
  }
  sum.count = static_cast<int32_t>(out - sum.terms);
  context.arena.keep(sum.count);
  context.work += a.count + b.count;
  if (overflow || sum.count > kMaxTerms || context.work > context.work_end) {
    context.gave_up = true;
    return {};  // so that no sum is too long for the next step
  }
  return sum;
}

Linear times(NormalFormContext& context, const Linear& a, int64_t factor) {
  if (factor == 1) return a;
  return plus(context, {}, a, factor);
}

Linear product(NormalFormContext& context, const Linear& a, const Linear& b) {
  if (a.is_constant()) return times(context, b, a.constant);
  if (b.is_constant()) return times(context, a, b.constant);
  constexpr int32_t kMaxProducts = 256;
  if (a.count * b.count > kMaxProducts) {
    context.gave_up = true;
    return {};
  }
  // (k + X) * (l + Y) = k * l + l * X + k * Y + X * Y
  struct Part {
    AtomId atom;
    Wide factor;
  };
  std::vector<Part> parts;
  const auto add = [&](AtomId atom, int64_t x, int64_t y) {
    int64_t factor;
    context.gave_up |= __builtin_mul_overflow(x, y, &factor);
    parts.push_back({atom, factor});
  };
  for (const Term& x : a) add(x.atom, x.factor, b.constant);
  for (const Term& y : b) add(y.atom, y.factor, a.constant);
  for (const Term& x : a) {
    for (const Term& y : b) {
      const Linear powers = plus(context, powers_of(context, x.atom), powers_of(context, y.atom));
      if (context.gave_up) return {};
      add(id_of(context, product_atom(context, powers)), x.factor, y.factor);
    }
  }
  context.work += std::ssize(parts);
  Linear sum;
  context.gave_up |= __builtin_mul_overflow(a.constant, b.constant, &sum.constant);
  // Add with more than 64 bits, so that the order does not decide whether the sum fits.
  std::ranges::stable_sort(parts, {}, &Part::atom);
  Term* out = context.arena.reserve(static_cast<int32_t>(parts.size()));
  sum.terms = out;
  for (auto part = parts.begin(); part != parts.end();) {
    const AtomId atom = part->atom;
    Wide factor = 0;
    for (; part != parts.end() && part->atom == atom; ++part) factor += part->factor;
    context.gave_up |= !fits({factor, factor});
    if (factor != 0) *out++ = {atom, static_cast<int64_t>(factor)};
  }
  sum.count = static_cast<int32_t>(out - sum.terms);
  context.arena.keep(sum.count);
  return context.gave_up ? Linear{} : sum;
}

Linear collected(NormalFormContext& context, absl::Span<Term> pairs, int64_t constant) {
  std::ranges::sort(pairs, {}, &Term::atom);
  Term* terms = context.arena.reserve(static_cast<int32_t>(pairs.size()));
  Term* end = terms;
  for (const Term& term : pairs) {
    if (term.factor != 0) *end++ = term;
  }
  const auto count = static_cast<int32_t>(end - terms);
  context.arena.keep(count);
  return {terms, count, constant};
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

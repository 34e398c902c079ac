// SPDX-License-Identifier: Apache-2.0
#include "impl/map/normal_form/normal_form.h"

#include <algorithm>

namespace tileproof::impl {

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

void begin_work(WorkLimits& context) {
  context.work_before = 0;
  context.work = 0;
}

void add_variable(Atoms& context, Range range, bool is_dimension) {
  Atom atom;
  atom.has_dimension = is_dimension;
  atom.range = range;
  atom.key = context.atoms.size() + 1;
  const auto number = static_cast<int32_t>(context.atoms.size());
  context.atoms.push_back(atom);
  context.atoms.back().meaning = atom_form(context, number);
}

Linear variable_form(const Atoms& context, int32_t variable) {
  const Range& range = context.atoms[variable].range;
  if (range.low == range.high) return constant(static_cast<int64_t>(range.low));
  return context.atoms[variable].meaning;
}

bool has_small_factors(const Linear& a) {
  return std::all_of(a.begin(), a.end(), [](const Term& term) {
    return -kSmallFactor < term.factor && term.factor < kSmallFactor;
  });
}

Linear without_atom(Atoms& context, const Linear& a, int32_t atom) {
  Term* out = context.arena.reserve(a.count);
  int32_t count = 0;
  for (const Term& term : a) {
    if (term.atom != atom) out[count++] = term;
  }
  context.arena.keep(count);
  return {out, count, a.constant};
}

Linear divided(Atoms& context, const Linear& a, int64_t g) {
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

namespace {

// The atom as powers of atoms that are not products.
Linear powers_of(NormalFormContext& context, int32_t atom) {
  if (context.atoms[atom].kind == AtomKind::kProduct) return context.atoms[atom].inside;
  return atom_form(context, atom);
}

}  // namespace

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

Linear collected(Atoms& context, absl::Span<Term> pairs, int64_t constant) {
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

}  // namespace tileproof::impl

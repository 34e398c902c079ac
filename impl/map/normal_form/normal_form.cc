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

uint64_t key_of(const Forms& forms, const Linear& a) {
  uint64_t sum = 0;
  for (const Term& term : a) {
    sum += mix(forms.atoms[term.atom].key, static_cast<uint64_t>(term.factor));
  }
  return mix(static_cast<uint64_t>(a.constant), sum);
}

namespace {

uint64_t key_of(const Forms& forms, AtomKind kind, const Linear& inside, int64_t divisor) {
  const uint64_t operation = mix(static_cast<uint64_t>(kind), static_cast<uint64_t>(divisor));
  return mix(operation, key_of(forms, inside));
}

int32_t add_atom(Forms& forms, FormIndex& index, AtomKind kind, const FormKey& key) {
  const Linear& inside = key.form;
  Atom atom;
  atom.kind = kind;
  atom.inside = inside;
  atom.divisor = key.number;
  for (const Term& term : inside) {
    const Atom& part = forms.atoms[term.atom];
    atom.has_dimension |= part.has_dimension;
    atom.depth = std::max(atom.depth, part.depth);
  }
  ++atom.depth;
  if (atom.depth > kMaxFormDepth) forms.refused = true;
  atom.key = key_of(forms, kind, inside, atom.divisor);
  const auto number = static_cast<int32_t>(forms.atoms.size());
  forms.atoms.push_back(atom);
  index.insert(key, number);
  return number;
}

Range product_range(const Forms& forms, const Linear& powers) {
  Range result{1, 1};
  for (const Term& term : powers) {
    const Range& range = forms.atoms[term.atom].range;
    for (int64_t i = 0; i < term.factor; ++i) {
      const Wide ends[] = {result.low * range.low, result.low * range.high, result.high * range.low,
                           result.high * range.high};
      result = {*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
      // Refused by the caller; here only so that the next factor cannot wrap.
      if (!fits(result)) return result;
    }
  }
  return result;
}

int32_t product_atom(Forms& forms, const Linear& powers) {
  constexpr int64_t kMaxDegree = 16;
  int64_t degree = 0;
  for (const Term& term : powers) degree += term.factor;
  if (degree > kMaxDegree) forms.refused = true;
  const FormKey key(powers);
  if (const int32_t found = forms.products.find(key); found >= 0) return found;
  const int32_t atom = add_atom(forms, forms.products, AtomKind::kProduct, key);
  const Range range = product_range(forms, powers);
  if (!fits(range)) forms.refused = true;
  forms.atoms[atom].range = range;
  return atom;
}

// The atom as powers of atoms that are no products.
Linear powers_of(Forms& forms, int32_t atom) {
  if (forms.atoms[atom].kind == AtomKind::kProduct) return forms.atoms[atom].inside;
  return atom_form(forms, atom);
}

}  // namespace

void clear(Forms& forms) {
  forms.arena.clear();
  forms.atoms.clear();
  for (FormIndex* index :
       {&forms.floors, &forms.products, &forms.mods, &forms.quotients, &forms.ceilings, &forms.sums,
        &forms.factored, &forms.floor_memo, &forms.range_memo, &forms.spelling_memo}) {
    index->clear();
  }
  forms.floor_results.clear();
  forms.range_results.clear();
  forms.spellings.clear();
  forms.known.clear();
  forms.samples.clear();
  forms.work = 0;
  forms.refused = false;
}

void add_variable(Forms& forms, Range range, bool is_dimension) {
  Atom atom;
  atom.has_dimension = is_dimension;
  atom.range = range;
  atom.key = forms.atoms.size() + 1;
  const auto number = static_cast<int32_t>(forms.atoms.size());
  forms.atoms.push_back(atom);
  forms.atoms.back().meaning = atom_form(forms, number);
}

Linear variable_form(Forms& forms, int32_t variable) {
  const Range& range = forms.atoms[variable].range;
  if (range.low == range.high) return constant(static_cast<int64_t>(range.low));
  return forms.atoms[variable].meaning;
}

bool has_small_factors(const Linear& a) {
  return std::all_of(a.begin(), a.end(), [](const Term& term) {
    return -kSmallFactor < term.factor && term.factor < kSmallFactor;
  });
}

Linear without_atom(Forms& forms, const Linear& a, int32_t atom) {
  Term* out = forms.arena.reserve(a.count);
  int32_t count = 0;
  for (const Term& term : a) {
    if (term.atom != atom) out[count++] = term;
  }
  forms.arena.keep(count);
  return {out, count, a.constant};
}

Linear divided(Forms& forms, const Linear& a, int64_t g) {
  Term* out = forms.arena.reserve(a.count);
  int32_t count = 0;
  for (const Term& term : a) out[count++] = {term.atom, term.factor / g};
  forms.arena.keep(count);
  return {out, count, a.constant / g};
}

Linear plus(Forms& forms, const Linear& a, const Linear& b, int64_t factor) {
  Linear sum;
  int64_t scaled;
  bool overflow = __builtin_mul_overflow(b.constant, factor, &scaled);
  overflow |= __builtin_add_overflow(a.constant, scaled, &sum.constant);
  if (b.count == 0) {
    forms.refused |= overflow;
    sum.terms = a.terms;
    sum.count = a.count;
    return sum;
  }
  if (a.count == 0 && factor == 1) {
    forms.refused |= overflow;
    sum.terms = b.terms;
    sum.count = b.count;
    return sum;
  }
  Term* out = forms.arena.reserve(a.count + b.count);
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
  forms.arena.keep(sum.count);
  forms.work += a.count + b.count;
  if (overflow || sum.count > kMaxTerms || forms.work > forms.max_work) {
    forms.refused = true;
    return {};  // never a sum that is too long for the next step
  }
  return sum;
}

Linear times(Forms& forms, const Linear& a, int64_t factor) {
  if (factor == 1) return a;
  return plus(forms, {}, a, factor);
}

Linear product(Forms& forms, const Linear& a, const Linear& b) {
  if (a.is_constant()) return times(forms, b, a.constant);
  if (b.is_constant()) return times(forms, a, b.constant);
  constexpr int32_t kMaxProducts = 256;
  if (a.count * b.count > kMaxProducts) {
    forms.refused = true;
    return {};
  }
  // distribute: (k + X) * (l + Y) = k * l + l * X + k * Y + X * Y
  struct Part {
    AtomId atom;
    Wide factor;
  };
  std::vector<Part> parts;
  const auto add = [&](AtomId atom, int64_t x, int64_t y) {
    int64_t factor;
    forms.refused |= __builtin_mul_overflow(x, y, &factor);
    parts.push_back({atom, factor});
  };
  for (const Term& x : a) add(x.atom, x.factor, b.constant);
  for (const Term& y : b) add(y.atom, y.factor, a.constant);
  for (const Term& x : a) {
    for (const Term& y : b) {
      const Linear powers = plus(forms, powers_of(forms, x.atom), powers_of(forms, y.atom));
      if (forms.refused) return {};
      add(id_of(forms, product_atom(forms, powers)), x.factor, y.factor);
    }
  }
  forms.work += std::ssize(parts);
  Linear sum;
  forms.refused |= __builtin_mul_overflow(a.constant, b.constant, &sum.constant);
  // Summed up with more than 64 bits: whether a sum fits is no matter of the order.
  std::ranges::stable_sort(parts, {}, &Part::atom);
  Term* out = forms.arena.reserve(static_cast<int32_t>(parts.size()));
  sum.terms = out;
  for (auto part = parts.begin(); part != parts.end();) {
    const AtomId atom = part->atom;
    Wide factor = 0;
    for (; part != parts.end() && part->atom == atom; ++part) factor += part->factor;
    forms.refused |= !fits({factor, factor});
    if (factor != 0) *out++ = {atom, static_cast<int64_t>(factor)};
  }
  sum.count = static_cast<int32_t>(out - sum.terms);
  forms.arena.keep(sum.count);
  return forms.refused ? Linear{} : sum;
}

Linear collected(Forms& forms, absl::Span<Term> pairs, int64_t constant) {
  std::ranges::sort(pairs, {}, &Term::atom);
  Term* terms = forms.arena.reserve(static_cast<int32_t>(pairs.size()));
  Term* end = terms;
  for (const Term& term : pairs) {
    if (term.factor != 0) *end++ = term;
  }
  const auto count = static_cast<int32_t>(end - terms);
  forms.arena.keep(count);
  return {terms, count, constant};
}

int32_t floor_atom(Forms& forms, Linear inside, int64_t divisor) {
  const FormKey key(inside, divisor);
  if (const int32_t found = forms.floors.find(key); found >= 0) return found;
  const Range range = range_of(forms, inside);
  const int32_t atom = add_atom(forms, forms.floors, AtomKind::kFloor, key);
  forms.atoms[atom].range = {floor_wide(range.low, divisor), floor_wide(range.high, divisor)};
  if (!fits(forms.atoms[atom].range)) forms.refused = true;
  if (telling(forms)) note_floor_range(forms, atom, range);
  return atom;
}

namespace {

int32_t word_atom(Forms& forms, FormIndex& index, AtomKind kind, const FormKey& key,
                  const Linear& meaning) {
  const int64_t divisor = key.number;
  const int32_t atom = add_atom(forms, index, kind, key);
  forms.atoms[atom].meaning = meaning;
  forms.atoms[atom].range =
      kind == AtomKind::kMod && divisor > 0 ? Range{0, divisor - 1} : interval_sum(forms, meaning);
  return atom;
}

}  // namespace

int32_t mod_atom(Forms& forms, Linear inside, int64_t divisor) {
  const FormKey key(inside, divisor);
  if (const int32_t found = forms.mods.find(key); found >= 0) return found;
  const Linear meaning = remainder_of(forms, inside, divisor);
  return word_atom(forms, forms.mods, AtomKind::kMod, key, meaning);
}

int32_t quotient_atom(Forms& forms, Linear inside, int64_t divisor) {
  const FormKey key(inside, divisor);
  if (const int32_t found = forms.quotients.find(key); found >= 0) return found;
  const Linear meaning = floor_division(forms, meaning_of(forms, inside), divisor);
  return word_atom(forms, forms.quotients, AtomKind::kQuotient, key, meaning);
}

int32_t ceiling_atom(Forms& forms, Linear inside, int64_t divisor) {
  const FormKey key(inside, divisor);
  if (const int32_t found = forms.ceilings.find(key); found >= 0) return found;
  const Linear meaning = ceil_division(forms, meaning_of(forms, inside), divisor);
  return word_atom(forms, forms.ceilings, AtomKind::kCeiling, key, meaning);
}

int32_t sum_atom(Forms& forms, Linear inside) {
  const FormKey key(inside);
  if (const int32_t found = forms.sums.find(key); found >= 0) return found;
  const Linear meaning = meaning_of(forms, inside);
  return word_atom(forms, forms.sums, AtomKind::kSum, key, meaning);
}

int32_t factored_atom(Forms& forms, Linear powers, Linear meaning) {
  const FormKey key(powers);
  if (const int32_t found = forms.factored.find(key); found >= 0) return found;
  return word_atom(forms, forms.factored, AtomKind::kFactored, key, meaning);
}

Linear meaning_of(Forms& forms, const Linear& words) {
  Linear sum = constant(words.constant);
  for (const Term& term : words) {
    const Atom& atom = forms.atoms[term.atom];
    const bool is_word = atom.kind >= AtomKind::kMod;
    sum = plus(forms, sum, is_word ? atom.meaning : Linear{&term, 1, 0}, is_word ? term.factor : 1);
  }
  return sum;
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
#include "impl/map/extraction/plain_sums.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tileproof::impl {
namespace {

constexpr int32_t kMostTerms = 16;  // floors of longer sums may be constants that are not noticed

// A term k * (S mod n) or k * (floor(S / m) mod n). Its floor is term `floor` of the form.
struct Digit {
  int32_t floor;
  int32_t finer;  // the term of the form with floor(S / m); -1 if there is none
  int64_t n, k;
};

struct Reader {
  NormalFormContext& context;
  const Linear& form;
  uint32_t taken = 0;      // the terms of the form that are part of a digit
  uint64_t variables = 0;  // that occur
  std::array<Digit, kMostTerms> digits = {};
  int count = 0;
};

const Atom& atom_at(const Reader& reader, int32_t term) {
  return reader.context.atoms[reader.form.terms[term].atom];
}

// Notes a variable. No, if it occurred before.
bool note(Reader& reader, int32_t variable) {
  if (variable >= 64 || (reader.variables >> variable & 1) != 0) return false;
  reader.variables |= uint64_t{1} << variable;
  return true;
}

// Notes the variables of a sum. No, if it is not a plain sum of new variables.
bool note_all(Reader& reader, const Linear& sum) {
  if (sum.constant != 0 || sum.count > kMostTerms) return false;
  for (const Term& term : sum) {
    if (term.factor <= 0 || reader.context.atoms[term.atom].kind != AtomKind::kVariable ||
        !note(reader, term.atom)) {
      return false;
    }
  }
  return true;
}

// With k = 1 or a factor 1 in S, k * (S mod n) is no longer than (k * S) mod (k * n).
bool may_stay_outside(const Linear& s, int64_t k) {
  return k == 1 ||
         std::any_of(s.begin(), s.end(), [](const Term& term) { return term.factor == 1; });
}

// Takes the terms k * S of the form. No, if one of them is missing.
bool take_sum(Reader& reader, const Linear& s, int64_t k) {
  int32_t at = 0;
  for (const Term& term : s) {
    while (at < reader.form.count && reader.form.terms[at].atom < term.atom) ++at;
    if (at == reader.form.count || reader.form.terms[at].atom != term.atom ||
        reader.form.terms[at].factor != Wide{term.factor} * k) {
      return false;
    }
    reader.taken |= 1u << at;
  }
  return true;
}

// Takes the term k * floor(S / m) of a digit whose other floor has the factor -k * n. -1 if there
// is none.
int32_t take_finer(Reader& reader, int32_t floor) {
  const Atom& coarse = atom_at(reader, floor);
  for (int32_t i = 0; i < reader.form.count; ++i) {
    const Atom& fine = atom_at(reader, i);
    const Wide k = reader.form.terms[i].factor;
    if (i == floor || fine.kind != AtomKind::kFloor || k <= 0 ||
        coarse.divisor % fine.divisor != 0 || !(fine.inside == coarse.inside) ||
        -k * (coarse.divisor / fine.divisor) != reader.form.terms[floor].factor) {
      continue;
    }
    reader.taken |= 1u << i;
    return i;
  }
  return -1;
}

// A floor with a negative factor must be part of a digit.
bool read_digit(Reader& reader, int32_t floor) {
  const Atom& atom = atom_at(reader, floor);
  const int64_t factor = reader.form.terms[floor].factor;
  reader.taken |= 1u << floor;
  Digit digit{floor, -1, atom.divisor, factor == INT64_MIN ? 0 : -factor / atom.divisor};
  if (digit.k == 0 || factor % atom.divisor != 0 || !may_stay_outside(atom.inside, digit.k) ||
      !take_sum(reader, atom.inside, digit.k)) {
    digit.finer = take_finer(reader, floor);
    if (digit.finer < 0) return false;
    digit.n = atom.divisor / atom_at(reader, digit.finer).divisor;
    digit.k = reader.form.terms[digit.finer].factor;
  }
  reader.digits[reader.count++] = digit;
  return note_all(reader, atom.inside);
}

// Reads the terms that are part of no digit.
bool read_others(Reader& reader) {
  for (int32_t i = 0; i < reader.form.count; ++i) {
    if ((reader.taken >> i & 1) != 0) continue;
    const Term& term = reader.form.terms[i];
    const Atom& atom = atom_at(reader, i);
    if (term.factor <= 0) return false;
    if (atom.kind == AtomKind::kVariable ? !note(reader, term.atom)
                                         : !note_all(reader, atom.inside)) {
      return false;
    }
  }
  return true;
}

// Returns whether all terms are variables and floors. Those with a negative factor are digits.
bool read_digits(Reader& reader) {
  for (int32_t i = 0; i < reader.form.count; ++i) {
    const AtomKind kind = atom_at(reader, i).kind;
    if (kind == AtomKind::kVariable) continue;
    if (kind != AtomKind::kFloor) return false;
    if (reader.form.terms[i].factor < 0 && !read_digit(reader, i)) return false;
  }
  return true;
}

// The mod of a digit. Nothing if the context gave up, or the mod has another normal form.
std::optional<Term> mod_of(Reader& reader, const Digit& digit) {
  NormalFormContext& context = reader.context;
  const AtomId floor = reader.form.terms[digit.floor].atom;
  const Linear s =
      digit.finer < 0 ? context.atoms[floor].inside : Linear{&reader.form.terms[digit.finer], 1, 0};
  const Linear operand = digit.finer < 0 ? s : divided(context, s, digit.k);
  const int32_t mod = mod_atom(context, operand, digit.n);
  if (context.gave_up) return std::nullopt;
  const Linear& meaning = context.atoms[mod].meaning;
  if (meaning.count != operand.count + 1 || factor_of(meaning, floor) != -digit.n) {
    return std::nullopt;
  }
  return Term{id_of(context, mod), digit.k};
}

bool has_variable(const Reader& reader, const Linear& sum) {
  return std::any_of(sum.begin(), sum.end(), [&](const Term& term) {
    const Atom& atom = reader.context.atoms[term.atom];
    if (atom.kind != AtomKind::kVariable) return has_variable(reader, atom.inside);
    return term.atom >= 64 || (reader.variables >> term.atom & 1) != 0;
  });
}

// Returns whether an assumption is about one of the variables.
bool is_assumed(const Reader& reader) {
  return std::ranges::any_of(reader.context.assumptions, [&](const Assumption& assumption) {
    return has_variable(reader, assumption.form);
  });
}

// Returns whether a part of a factor may be common to another term: (x mod n) * 10 + y * 5 may become
// ((x * 2) mod (n * 2) + y) * 5.
bool has_common_factors(const Reader& reader, absl::Span<const Term> terms) {
  for (int i = 0; i < reader.count; ++i) {
    const int64_t k = reader.digits[i].k;
    for (const Term& other : terms) {
      if (other.factor > 1 && other.factor < k && k % other.factor == 0) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Linear> plain_rendering(NormalFormContext& context, const Linear& form) {
  if (form.constant != 0 || form.count > kMostTerms || !context.try_plain ||
      context.dialect != Dialect{}) {
    return std::nullopt;
  }
  Reader reader{context, form};
  if (!read_digits(reader) || !read_others(reader) || is_assumed(reader)) return std::nullopt;
  if (reader.count == 0) return form;
  std::array<Term, kMostTerms> terms;
  size_t count = 0;
  for (int32_t i = 0; i < form.count; ++i) {
    if ((reader.taken >> i & 1) == 0) terms[count++] = form.terms[i];
  }
  for (int i = 0; i < reader.count; ++i) {
    const std::optional<Term> mod = mod_of(reader, reader.digits[i]);
    if (!mod) return std::nullopt;
    terms[count++] = *mod;
  }
  const absl::Span<Term> all = absl::MakeSpan(terms.data(), count);
  if (has_common_factors(reader, all)) return std::nullopt;
  return collected(context, all, 0);
}

}  // namespace tileproof::impl

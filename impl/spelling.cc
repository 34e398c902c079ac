#include "impl/spelling.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>

#include "impl/derivation.h"
#include "impl/floors.h"

namespace tileproof::impl {
namespace {

// What a constant adds to the price: its size in bits, so that of equal trees the one with the
// smaller numbers is taken, and more for a minus sign.
int64_t constant_price(int64_t value) {
  const auto size = static_cast<uint64_t>(value < 0 ? -(value + 1) : value);
  return std::bit_width(size) + (value < -1 ? 16 : 0);
}

int64_t atom_price(Forms& forms, int32_t atom) {
  const AtomKind kind = forms.atoms[atom].kind;
  if (kind == AtomKind::kVariable) return kNodePrice;
  if (forms.atoms[atom].price >= 0) return forms.atoms[atom].price;
  const Linear inside = forms.atoms[atom].inside;
  int64_t price = 0;
  if (kind == AtomKind::kProduct) {
    for (const Term& power : inside) {
      price += power.factor * (atom_price(forms, power.atom) + kNodePrice);
    }
    price -= kNodePrice;
  } else {
    price = spell(forms, inside).price + 2 * kNodePrice + constant_price(forms.atoms[atom].divisor);
  }
  price = std::min(price, kMaxPrice);
  forms.atoms[atom].price = price;
  return price;
}

// Orders equally cheap words by their structure, whatever was made before them.
uint64_t key_of_words(const Forms& forms, const Linear& words) {
  uint64_t key = static_cast<uint64_t>(words.constant);
  for (const Term& term : words) {
    uint64_t part = forms.atoms[term.atom].key ^ (static_cast<uint64_t>(term.factor) << 17);
    part *= 0x9E3779B97F4A7C15u;
    key += part ^ (part >> 31);
  }
  return key;
}

bool is_better(const Forms& forms, const Spelling& a, const Spelling& b) {
  if (a.price != b.price) return a.price < b.price;
  return key_of_words(forms, a.words) < key_of_words(forms, b.words);
}

// The price of the words as they are.
int64_t price_of(Forms& forms, const Linear& words) {
  int64_t price = 0;
  for (const Term& term : words) {
    price += atom_price(forms, term.atom) + kNodePrice;
    if (term.factor == 1) continue;
    // A factor is written once for all its terms, by the first of them.
    bool first = true;
    for (const Term* other = words.begin(); other != &term && first; ++other) {
      first = other->factor != term.factor;
    }
    if (first) price += 2 * kNodePrice + constant_price(term.factor);
  }
  if (words.constant != 0 || words.count == 0) {
    price += kNodePrice + constant_price(words.constant);
  }
  if (words.constant == 0 && words.count > 0) price -= kNodePrice;  // one + less than summands
  return std::min(price, kMaxPrice);
}

// The first atom with factor 1 or -1; null if there is none.
const Term* unit_term(const Linear& form) {
  for (const Term& term : form) {
    if (term.factor == 1 || term.factor == -1) return &term;
  }
  return nullptr;
}

// S with the factors of its floors changed by multiples of b such that they are part of a mod,
// where that can be: x + 2 * floor(x / 14) modulo 8 is x - 14 * floor(x / 14).
Linear with_digits(Forms& forms, const Linear& s, int64_t b) {
  Term* out = forms.arena.reserve(s.count);
  std::copy(s.begin(), s.end(), out);
  forms.arena.keep(s.count);
  for (Term& term : std::span(out, static_cast<size_t>(s.count))) {
    const Atom& atom = forms.atoms[term.atom];
    const Term* unit = atom.kind == AtomKind::kFloor ? unit_term(atom.inside) : nullptr;
    if (unit == nullptr) continue;
    const Wide wanted = -Wide{factor_of(s, unit->atom)} * unit->factor * atom.divisor;
    if (wanted != 0 && (wanted - term.factor) % b == 0 && INT64_MIN < wanted &&
        wanted <= INT64_MAX) {
      term.factor = static_cast<int64_t>(wanted);
    }
  }
  return {out, s.count, s.constant};
}

// The atom S mod b with the cheapest operand: S itself, its factors reduced modulo b, or made for
// mods.
int32_t cheapest_mod(Forms& forms, const Linear& s, int64_t b) {
  const Linear near = pull_multiple(forms, s, b).rest;
  Term* out = forms.arena.reserve(s.count);
  int32_t count = 0;
  for (const Term& term : s) {
    const int64_t r = floor_remainder(term.factor, b);
    if (r != 0) out[count++] = {term.atom, r};
  }
  forms.arena.keep(count);
  const Linear positive{out, count, floor_remainder(s.constant, b)};
  const Linear* best = &positive;
  Spelling spelling = spell(forms, positive);
  const Linear digits = with_digits(forms, near, b);
  for (const Linear* other : {&near, &digits, &s}) {
    if (*other == *best) continue;
    const Spelling candidate = spell(forms, *other);
    if (is_better(forms, candidate, spelling)) {
      best = other;
      spelling = candidate;
    }
  }
  return mod_atom(forms, *best, b);
}

// x / k where k divides x and the quotient fits.
std::optional<int64_t> exact_quotient(int64_t x, int64_t k) {
  if (k == -1) return x == INT64_MIN ? std::nullopt : std::optional(-x);
  if (x % k != 0) return std::nullopt;
  return x / k;
}

bool has_new_floor(const Forms& forms, const Linear& words, const Linear& before) {
  for (const Term& term : words) {
    if (forms.atoms[term.atom].kind == AtomKind::kFloor && factor_of(before, term.atom) == 0) {
      return true;
    }
  }
  return false;
}

// A floor atom in a sum, seen as sign * floor(inside / divisor).
struct View {
  Linear words;  // the sum
  int32_t floor;
  int64_t factor;  // C: words = rest + C * floor(inside / divisor)
  Linear rest;
  Linear inside;
  int64_t divisor;
};

// S for k * (S mod b): like `target` up to multiples of b, and equal to rest / k where it may be,
// so that the terms vanish. With slack > 1 the target is slack * inside, and what stays below slack
// may be added.
Linear matching_operand(Forms& forms, const View& view, const Linear& target, int64_t k, int64_t b,
                        int64_t slack) {
  std::vector<Term> terms;
  terms.reserve(target.count + view.rest.count);
  for (const Term& term : target) {
    const std::optional<int64_t> q = exact_quotient(factor_of(view.rest, term.atom), k);
    const bool match = q && (Wide{*q} - term.factor) % b == 0;
    terms.push_back({term.atom, match ? *q : term.factor});
  }
  for (const Term& term : view.rest) {
    const std::optional<int64_t> q = exact_quotient(term.factor, k);
    if (!q || factor_of(target, term.atom) != 0) continue;
    const Range& range = forms.atoms[term.atom].range;
    if (*q % b == 0 ||
        (*q > 0 && range.low >= 0 && range.high < slack && range.high * *q < slack)) {
      terms.push_back({term.atom, *q});
    }
  }
  int64_t k0 = target.constant;
  if (const std::optional<int64_t> q = exact_quotient(view.rest.constant, k)) {
    const Wide apart = (Wide{*q} - target.constant) % b;
    if ((apart < 0 ? apart + b : apart) < slack) k0 = *q;
  }
  return collected(forms, terms, k0);
}

// All terms that k divides, divided by it.
Linear divisible_part(Forms& forms, const Linear& form, int64_t k) {
  Term* out = forms.arena.reserve(form.count);
  int32_t count = 0;
  for (const Term& term : form) {
    const std::optional<int64_t> q = exact_quotient(term.factor, k);
    if (q) out[count++] = {term.atom, *q};
  }
  forms.arena.keep(count);
  return {out, count, exact_quotient(form.constant, k).value_or(0)};
}

// The sum with the floor as part of k * (S mod b), b = -C / k; nothing if it does not work out.
void offer_mod(Forms& forms, const View& view, int64_t k, std::vector<Linear>& offers) {
  const int64_t b = -view.factor / k;
  const int64_t c = view.divisor;
  Linear s;
  if (c % b == 0) {
    const Linear target = floor_of(forms, view.inside, c / b);
    s = matching_operand(forms, view, target, k, b, 1);
  } else if (b % c == 0) {
    const int64_t slack = b / c;
    s = matching_operand(forms, view, times(forms, view.inside, slack), k, b, slack);
  } else {
    s = divisible_part(forms, view.rest, k);  // finer than the floor, which dropped a small part
  }
  const Linear floor = floor_of(forms, s, b);
  if (forms.refused) return;
  // The cheap test first: will the floor vanish from words - k * (S - b * floor)?
  const Wide left = Wide{factor_of(view.words, view.floor)} - Wide{k} * factor_of(s, view.floor) +
                    Wide{k} * b * factor_of(floor, view.floor);
  if (left != 0) return;
  const Linear meaning = plus(forms, s, floor, -b);
  const Linear rest = plus(forms, view.words, meaning, -k);
  if (forms.refused || rest.count >= view.words.count || has_new_floor(forms, rest, view.words)) {
    return;
  }
  const int32_t mod = cheapest_mod(forms, s, b);
  if (!forms.refused) offers.push_back(plus(forms, rest, atom_form(forms, mod), k));
}

// The factors k worth trying: for b = c, for b = |C|, and those of the other terms.
void offer_mods(Forms& forms, const View& view, std::vector<Linear>& offers) {
  const int64_t size = view.factor < 0 ? -view.factor : view.factor;
  std::array<int64_t, 12> tried;
  int count = 0;
  const auto offer = [&](int64_t k) {
    if (k <= 0 || size % k != 0 || size / k < 2 || count == std::ssize(tried)) return;
    if (std::find(tried.begin(), tried.begin() + count, k) != tried.begin() + count) return;
    tried[count++] = k;
    offer_mod(forms, view, view.factor < 0 ? k : -k, offers);
  };
  if (size % view.divisor == 0) offer(size / view.divisor);
  for (const Term& term : view.rest) {
    if (term.factor != INT64_MIN) offer(term.factor < 0 ? -term.factor : term.factor);
  }
  offer(1);
}

// The sum with all that can move moved into the floor.
void offer_quotient(Forms& forms, const View& view, bool negated, std::vector<Linear>& offers) {
  const int64_t factor = view.factor;
  std::vector<Term> moved;
  for (const Term& term : view.inside) {
    const int64_t r = factor_of(view.rest, term.atom);
    const std::optional<int64_t> q = exact_quotient(r, factor);
    if (q && *q != 0) moved.push_back({term.atom, *q});
  }
  int64_t shift = 0;
  if (view.inside.constant != 0) {
    shift = exact_quotient(view.rest.constant, factor).value_or(0);
  }
  if (moved.empty() && shift == 0 && !negated) return;
  const Linear q = collected(forms, moved, shift);
  const Linear inside = plus(forms, view.inside, q, view.divisor);
  if (forms.refused) return;
  const int32_t quotient = quotient_atom(forms, inside, view.divisor);
  if (forms.derivation != nullptr) note_quotient(forms, view.floor, inside, q, negated);
  const Linear rest = plus(forms, view.rest, q, -factor);
  offers.push_back(plus(forms, rest, atom_form(forms, quotient), factor));
}

// The floor with the largest divisor, the first by key among equal ones; -1 if there is none.
int32_t coarsest_floor(const Forms& forms, const Linear& words) {
  int32_t best = -1;
  for (const Term& term : words) {
    const Atom& atom = forms.atoms[term.atom];
    if (atom.kind != AtomKind::kFloor || term.factor == INT64_MIN) continue;
    if (best < 0 || atom.divisor > forms.atoms[best].divisor ||
        (atom.divisor == forms.atoms[best].divisor && atom.key < forms.atoms[best].key)) {
      best = term.atom;
    }
  }
  return best;
}

// x with a * x = 1 modulo m, or 0.
int64_t inverse_modulo(int64_t a, int64_t m) {
  Wide r0 = m, r1 = floor_remainder(a, m), t0 = 0, t1 = 1;
  while (r1 != 0) {
    const Wide q = r0 / r1;
    const Wide r2 = r0 - q * r1, t2 = t0 - q * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  return r0 == 1 ? static_cast<int64_t>(t0 < 0 ? t0 + m : t0) : 0;
}

// C * floor(I / c) as part of C * ((J mod b) floordiv e), where floor(J / b) is there too. With
// I = p * J + .. and c = b, e is the inverse of p or of -p modulo b; with c = b * e it is c / b.
void offer_floor_of_mod(Forms& forms, const Linear& words, int32_t number, int32_t modulus,
                        int64_t factor, std::vector<Linear>& offers) {
  const Linear j = forms.atoms[modulus].inside;
  const Term* unit = unit_term(j);
  if (unit == nullptr) return;
  const int64_t b = forms.atoms[modulus].divisor, c = forms.atoms[number].divisor;
  const int64_t p = factor_of(forms.atoms[number].inside, unit->atom) * unit->factor;
  const int64_t inverse = c == b ? inverse_modulo(p, b) : 0;
  for (const int64_t e : {c == b ? b - inverse : 0, inverse, c % b == 0 ? c / b : 0}) {
    if (e < 2 || e >= b) continue;
    const Linear mod = atom_form(forms, mod_atom(forms, j, b));
    const int32_t quotient = quotient_atom(forms, mod, e);
    if (forms.refused) return;
    const Linear meaning = forms.atoms[quotient].meaning;
    const int64_t sign = factor_of(meaning, number);
    if (sign != 1 && sign != -1) continue;
    const Linear rest = plus(forms, words, meaning, -factor * sign);
    if (forms.refused) return;
    if (rest.count >= words.count || has_new_floor(forms, rest, words)) continue;
    offers.push_back(plus(forms, rest, atom_form(forms, quotient), factor * sign));
  }
}

void offer_floor(Forms& forms, const Linear& words, int32_t number, std::vector<Linear>& offers) {
  const Linear inside = forms.atoms[number].inside;
  const int64_t divisor = forms.atoms[number].divisor;
  const int64_t factor = factor_of(words, number);
  const Linear rest = plus(forms, words, atom_form(forms, number), -factor);
  const View view{words, number, factor, rest, inside, divisor};
  View negated = view;
  negated.factor = -factor;
  negated.inside = plus(forms, constant(divisor - 1), inside, -1);
  offer_mods(forms, view, offers);
  offer_mods(forms, negated, offers);
  offer_quotient(forms, view, false, offers);
  offer_quotient(forms, negated, true, offers);
  for (const Term& term : rest) {
    if (forms.refused) return;
    if (forms.atoms[term.atom].kind == AtomKind::kFloor &&
        forms.atoms[term.atom].divisor <= divisor) {
      offer_floor_of_mod(forms, words, number, term.atom, factor, offers);
    }
  }
}

// Sums with more floors than this try one order only.
constexpr int kAllOrders = 2;

// Other words for the same value: each has one floor less, and no more terms. With few floors any
// of them may be the next. With many the coarsest decides first, as the mods that it may become
// contain the finer ones; where it is to stay, it becomes a quotient, which is not looked at again.
std::vector<Linear> other_words(Forms& forms, const Linear& words) {
  std::vector<Linear> offers;
  int floors = 0;
  for (const Term& term : words) {
    if (forms.atoms[term.atom].kind == AtomKind::kFloor && term.factor != INT64_MIN) ++floors;
  }
  if (floors <= kAllOrders) {
    for (const Term& term : words) {
      if (forms.refused) break;
      if (forms.atoms[term.atom].kind == AtomKind::kFloor && term.factor != INT64_MIN) {
        offer_floor(forms, words, term.atom, offers);
      }
    }
    return offers;
  }
  const int32_t number = coarsest_floor(forms, words);
  offer_floor(forms, words, number, offers);
  if (forms.refused) return offers;
  const int64_t factor = factor_of(words, number);
  const Linear rest = plus(forms, words, atom_form(forms, number), -factor);
  const int32_t kept =
      quotient_atom(forms, forms.atoms[number].inside, forms.atoms[number].divisor);
  offers.push_back(plus(forms, rest, atom_form(forms, kept), factor));
  return offers;
}

}  // namespace

Spelling spell(Forms& forms, Linear form) {
  if (const int32_t memo = forms.spelling_memo.find(form, 0); memo >= 0) {
    return forms.spellings[memo];
  }
  const Nested nested(forms);
  if (forms.refused) return {kMaxPrice, form};
  Spelling best{price_of(forms, form), form};
  if (!forms.refused && form.count > 0) {
    for (const Linear& words : other_words(forms, form)) {
      const Spelling other = spell(forms, words);
      if (is_better(forms, other, best)) best = other;
    }
  }
  if (forms.refused) return best;
  forms.spelling_memo.insert(form, 0, static_cast<int32_t>(forms.spellings.size()));
  forms.spellings.push_back(best);
  return best;
}

}  // namespace tileproof::impl

#include "impl/map/extraction/extraction.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "impl/map/extraction/cost.h"
#include "impl/map/extraction/extraction_candidates.h"
#include "impl/map/extraction/factoring.h"
#include "impl/map/normal_form/floors.h"
#include "impl/map/normal_form/ranges.h"
#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {
namespace {

// Short lists, as nearly all are, without memory of their own.
using Terms = absl::InlinedVector<Term, 8>;
using Linears = absl::InlinedVector<Linear, 6>;

// Other words for what is being spelled: the cheapest so far.
void consider(Forms& forms, const Linear& words, Spelling& best) {
  if (!may_win(least_price_of(forms, words), best)) return;
  const Spelling spelling = spell(forms, words);
  if (is_better(forms, spelling, best)) best = spelling;
}

// The first term with factor 1 or -1; null if there is none.
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
    const auto factor = static_cast<int64_t>(wanted);
    if (factor == wanted && (wanted - term.factor) % b == 0) term.factor = factor;
  }
  return {out, s.count, s.constant};
}

// S with one of its floors f = floor(I / D) as a whole digit, X - B * f with X = floor(I / (D /
// B)), where S is that up to multiples of b and fewer terms: (d1 + floor(d0 / 4) - f) modulo 3 is
// (4 * d1 + floor(d0 / 4)) mod 10 for f = floor((16 * d1 + d0) / 40).
void add_whole_digits(Forms& forms, const Linear& s, int64_t b, Linears& operands) {
  const auto add_digit = [&](const Term& floor, const Atom& atom, int64_t finer) {
    const int64_t base = atom.divisor / finer;
    const int64_t sign = (Wide{floor.factor} + base) % b == 0 ? 1 : -1;
    if ((Wide{floor.factor} + sign * Wide{base}) % b != 0) return;
    Linear digit = floor_of(forms, atom.inside, finer);
    digit = plus(forms, times(forms, digit, sign), atom_form(forms, floor.atom), -sign * base);
    const Linear rest = pull_multiple(forms, plus(forms, s, digit, -1), b).rest;
    if (rest.count + 1 < s.count) operands.push_back(plus(forms, digit, rest));
  };
  for (const Term& floor : s) {
    const Atom atom = forms.atoms[floor.atom];
    if (atom.kind != AtomKind::kFloor) continue;
    for (const Term& other : s) {
      const Atom& fine = forms.atoms[other.atom];
      if (fine.kind != AtomKind::kFloor || atom.divisor % fine.divisor != 0) continue;
      const int64_t finer = other.atom == floor.atom ? 1 : fine.divisor;
      if (!forms.refused) add_digit(floor, atom, finer);
    }
  }
}

struct Priced {
  Linear words;
  int64_t price;
};

// The cheapest operand of S mod b: S itself, its factors reduced modulo b, or made for mods.
Priced cheapest_operand(Forms& forms, const Linear& s, int64_t b) {
  const Linear near = pull_multiple(forms, s, b).rest;
  Term* out = forms.arena.reserve(s.count);
  int32_t count = 0;
  for (const Term& term : s) {
    const int64_t r = floor_remainder(term.factor, b);
    if (r != 0) out[count++] = {term.atom, r};
  }
  forms.arena.keep(count);
  const Linear positive{out, count, floor_remainder(s.constant, b)};
  Linears others = {near, with_digits(forms, near, b), s};
  add_whole_digits(forms, near, b, others);
  Linear best = positive;
  Spelling spelling = spell(forms, positive);
  for (const Linear& other : others) {
    if (other == best || !may_win(least_price_of(forms, other), spelling)) continue;
    const Spelling candidate = spell(forms, other);
    if (is_better(forms, candidate, spelling)) {
      best = other;
      spelling = candidate;
    }
  }
  return {best, spelling.price};
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

// What of rest / k, beside the target, stays in [0, slack): floor((slack * I + it) / (slack * c))
// is floor(I / c) for every I.
Linear small_part(Forms& forms, const View& view, const Linear& target, int64_t k, int64_t b,
                  int64_t slack) {
  Wide room = slack - 1;
  Term* out = forms.arena.reserve(view.rest.count);
  int32_t count = 0;
  for (const Term& term : view.rest) {
    const std::optional<int64_t> q = exact_quotient(term.factor, k);
    const Range& range = forms.atoms[term.atom].range;
    if (!q || *q <= 0 || range.low < 0 || factor_of(target, term.atom) != 0 ||
        range.high * *q > room) {
      continue;
    }
    room -= range.high * *q;
    out[count++] = {term.atom, *q};
  }
  forms.arena.keep(count);
  int64_t constant = 0;
  if (const std::optional<int64_t> q = exact_quotient(view.rest.constant, k)) {
    const Wide apart = (Wide{*q} - target.constant) % b;
    const Wide step = apart < 0 ? apart + b : apart;
    if (step <= room) constant = static_cast<int64_t>(step);
  }
  return {out, count, constant};
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

// An S with floor(S / b) = floor(inside / c) + (S - part) / b, so that
//     words - k * (S mod b) = rest - k * part
struct Operand {
  Linear part;
  Linear s;
};

// Where b divides c or c divides b it is known what S has to be (floor-of-floor, small-part).
Operand known_operand(Forms& forms, const View& view, int64_t k, int64_t b) {
  const int64_t c = view.divisor;
  Linear part;
  if (c % b == 0) {
    part = floor_of(forms, view.inside, c / b);
  } else {
    part = times(forms, view.inside, b / c);
    part = plus(forms, part, small_part(forms, view, part, k, b, b / c));
  }
  return {part, part};
}

// S for k * (S mod b): the part, and all multiples of b in left / k, which is what the rest has
// besides k * part.
Linear matching_operand(Forms& forms, const Linear& part, const Linear& left, int64_t k,
                        int64_t b) {
  Terms terms;
  for (const Term& term : left) {
    const std::optional<int64_t> q = exact_quotient(term.factor, k);
    if (q && *q % b == 0) terms.push_back({term.atom, *q});
  }
  const std::optional<int64_t> q = exact_quotient(left.constant, k);
  const int64_t constant = q && *q % b == 0 ? *q : 0;
  return plus(forms, part, collected(forms, absl::MakeSpan(terms), constant));
}

// Otherwise it is guessed: the floor dropped a small part, S is finer.
std::optional<Operand> guessed_operand(Forms& forms, const View& view, int64_t k, int64_t b) {
  const Linear s = divisible_part(forms, view.rest, k);
  const Linear floor = floor_of(forms, s, b);
  // Does the floor vanish from words - k * (S - b * floor)?
  const int64_t sign = factor_of(floor, view.floor);
  if (factor_of(view.words, view.floor) + Wide{k} * b * sign != 0) return std::nullopt;
  const Linear others = plus(forms, floor, atom_form(forms, view.floor), -sign);
  return Operand{plus(forms, s, others, -b), s};
}

// The sum with the floor as part of k * (S mod b), k = -C / b; nothing if it does not work out.
void offer_mod(Forms& forms, const View& view, int64_t b, Spelling& best) {
  const int64_t k = -view.factor / b;
  const bool known = view.divisor % b == 0 || b % view.divisor == 0;
  const std::optional<Operand> operand =
      known ? known_operand(forms, view, k, b) : guessed_operand(forms, view, k, b);
  if (!operand || forms.refused) return;
  // What of the words is known already decides most: s is like the operand modulo b.
  const auto price_of_mod = [&](int64_t operand_price) {
    return operand_price + 2 * kNodePrice + constant_price(b);
  };
  const int64_t least = price_of_mod(least_operand_price(forms, operand->s, b));
  const bool plain = forms.dialect == Dialect{};
  if (plain && !may_win(least, best)) return;
  const Linear rest = plus(forms, view.rest, operand->part, -k);
  if (rest.count >= view.words.count || has_new_floor(forms, rest, view.words) ||
      (plain && !may_win(least_price_with(forms, rest, k, least), best))) {
    return;
  }
  const Linear s = known ? matching_operand(forms, operand->part, rest, k, b) : operand->s;
  const Priced operand_words = cheapest_operand(forms, s, b);
  if (forms.refused) return;
  const int64_t price = price_of_mod(operand_words.price);
  if (plain && !may_win(least_price_with(forms, rest, k, price), best)) return;
  const int32_t mod = mod_atom(forms, operand_words.words, b);
  if (forms.refused) return;
  consider(forms, plus(forms, rest, atom_form(forms, mod), k), best);
  if (!forms.dialect.negative_divisors) return;
  // mod-of-negative-divisor: S mod b = -(-S mod -b)
  const int32_t negative =
      mod_atom(forms, cheapest_operand(forms, times(forms, s, -1), b).words, -b);
  if (!forms.refused) consider(forms, plus(forms, rest, atom_form(forms, negative), -k), best);
}

// The floors f of the sum with factor C * q that make a mod inside: inside + c * q * f has
// x - b * f for an x in f = floor(x / b).
void move_digits(Forms& forms, const View& view, const Linear& inside, Terms& moved) {
  for (const Term& term : view.rest) {
    const Atom& atom = forms.atoms[term.atom];
    if (atom.kind != AtomKind::kFloor || factor_of(inside, term.atom) != 0) continue;
    const Term* unit = unit_term(atom.inside);
    const std::optional<int64_t> q = exact_quotient(term.factor, view.factor);
    if (unit == nullptr || !q) continue;
    const Wide digit = -Wide{factor_of(inside, unit->atom)} * unit->factor * atom.divisor;
    if (Wide{*q} * view.divisor == digit) moved.push_back({term.atom, *q});
  }
}

// The sum with all that can move moved into the floor.
void offer_quotient(Forms& forms, const View& view, bool negated, Spelling& best) {
  const int64_t factor = view.factor;
  Terms moved;
  for (const Term& term : view.inside) {
    const int64_t r = factor_of(view.rest, term.atom);
    const std::optional<int64_t> q = exact_quotient(r, factor);
    if (q && *q != 0) moved.push_back({term.atom, *q});
  }
  int64_t shift = 0;
  if (view.inside.constant != 0) {
    shift = exact_quotient(view.rest.constant, factor).value_or(0);
  }
  if (has_floor(forms, view.rest)) {
    const Linear q = collected(forms, absl::MakeSpan(moved), shift);
    move_digits(forms, view, plus(forms, view.inside, q, view.divisor), moved);
  }
  // Negation alone can save a sign. (It never saves the constant, which is the smaller one.)
  const auto has_sign = [](const Linear& sum) {
    return std::any_of(sum.begin(), sum.end(), [](const Term& term) { return term.factor < 0; });
  };
  const bool new_words =
      !moved.empty() || shift != 0 || (negated && (factor > 0 || !has_sign(view.inside)));
  if (!new_words && forms.dialect == Dialect{}) return;
  const Linear q = collected(forms, absl::MakeSpan(moved), shift);
  const Linear inside = plus(forms, view.inside, q, view.divisor);
  if (forms.refused) return;
  const Linear rest = plus(forms, view.rest, q, -factor);
  const int64_t c = view.divisor;
  if (forms.dialect == Dialect{}) {
    const int64_t least = least_price_of(forms, inside) + 2 * kNodePrice + constant_price(c);
    if (!may_win(least_price_with(forms, rest, factor, least), best)) return;
  }
  const auto offer = [&](int32_t quotient) {
    consider(forms, plus(forms, rest, atom_form(forms, quotient), factor), best);
  };
  if (new_words) {
    offer(quotient_atom(forms, inside, c));
    if (forms.derivation != nullptr) note_quotient(forms, view.floor, inside, q, negated);
  }
  if (forms.dialect.negative_divisors) offer(quotient_atom(forms, times(forms, inside, -1), -c));
  if (forms.dialect.ceildiv) {  // ceildiv-is-floordiv: floor(x / c) = ceil((x - c + 1) / c)
    const Linear low = plus(forms, inside, constant(1 - c));
    offer(ceiling_atom(forms, low, c));
    if (forms.dialect.negative_divisors) offer(ceiling_atom(forms, times(forms, low, -1), -c));
  }
}

// The floors of a sum that may get other words: those whose factor can be negated.
bool is_open_floor(const Forms& forms, const Term& term) {
  return forms.atoms[term.atom].kind == AtomKind::kFloor && term.factor != INT64_MIN;
}

// The open floor with the largest divisor, the first of equal ones; there is one.
int32_t coarsest_floor(const Forms& forms, const Linear& words) {
  const Term* best = nullptr;
  for (const Term& term : words) {
    if (!is_open_floor(forms, term)) continue;
    if (best == nullptr || forms.atoms[term.atom].divisor > forms.atoms[best->atom].divisor) {
      best = &term;
    }
  }
  return best->atom;
}

// C * floor(I / c) as part of C * ((J mod b) floordiv e), where floor(J / b) is there too.
void offer_floor_of_mod(Forms& forms, const Linear& words, int32_t number, int32_t modulus,
                        int64_t factor, Spelling& best) {
  const Linear j = forms.atoms[modulus].inside;
  const Term* unit = unit_term(j);
  if (unit == nullptr) return;
  const int64_t b = forms.atoms[modulus].divisor, c = forms.atoms[number].divisor;
  const int64_t p = factor_of(forms.atoms[number].inside, unit->atom) * unit->factor;
  for (const int64_t e : divisors_of_mod(p, b, c)) {
    const Linear mod = atom_form(forms, mod_atom(forms, j, b));
    const int32_t quotient = quotient_atom(forms, mod, e);
    if (forms.refused) return;
    const Linear meaning = forms.atoms[quotient].meaning;
    const int64_t sign = factor_of(meaning, number);
    if (sign != 1 && sign != -1) continue;
    const Linear rest = plus(forms, words, meaning, -factor * sign);
    if (forms.refused) return;
    if (has_new_floor(forms, rest, words)) continue;
    consider(forms, plus(forms, rest, atom_form(forms, quotient), factor * sign), best);
  }
}

void offer_floor(Forms& forms, const Linear& words, int32_t number, Spelling& best) {
  const Linear inside = forms.atoms[number].inside;
  const int64_t divisor = forms.atoms[number].divisor;
  const int64_t factor = factor_of(words, number);
  const Linear rest = without_atom(forms, words, number);
  const View view{words, number, factor, rest, inside, divisor};
  View negated = view;
  negated.factor = -factor;
  negated.inside = plus(forms, constant(divisor - 1), inside, -1);
  if (rest.count > 0) {
    const Numbers moduli = moduli_for(rest, factor, divisor);
    for (const View* it : {&view, &std::as_const(negated)}) {
      for (const int64_t b : moduli) offer_mod(forms, *it, b, best);
    }
  }
  offer_quotient(forms, view, false, best);
  offer_quotient(forms, negated, true, best);
  for (const Term& term : rest) {
    if (forms.refused) return;
    if (forms.atoms[term.atom].kind == AtomKind::kFloor) {
      offer_floor_of_mod(forms, words, number, term.atom, factor, best);
    }
  }
}

bool has_product(const Forms& forms, const Linear& words) {
  return std::any_of(words.begin(), words.end(), [&](const Term& term) {
    return forms.atoms[term.atom].kind == AtomKind::kProduct;
  });
}

// Sums with more floors than this try one order only.
constexpr int kAllOrders = 2;

// Other words for the same value: each has one floor less. With few floors any of them may be the
// next. With many the coarsest decides first, as the mods that it may become contain the finer
// ones; where it is to stay, it becomes a quotient, which is not looked at again.
void offer_other_words(Forms& forms, const Linear& words, Spelling& best) {
  if (has_product(forms, words)) {
    std::vector<Linear> offers;
    offer_factors(forms, words, offers);
    for (const Linear& offer : offers) consider(forms, offer, best);
  }
  const auto floors = std::count_if(words.begin(), words.end(),
                                    [&](const Term& term) { return is_open_floor(forms, term); });
  if (floors <= kAllOrders) {
    for (const Term& term : words) {
      if (forms.refused) return;
      if (is_open_floor(forms, term)) offer_floor(forms, words, term.atom, best);
    }
    return;
  }
  const int32_t number = coarsest_floor(forms, words);
  offer_floor(forms, words, number, best);
  if (forms.refused) return;
  const int64_t factor = factor_of(words, number);
  const Linear rest = without_atom(forms, words, number);
  const int32_t kept =
      quotient_atom(forms, forms.atoms[number].inside, forms.atoms[number].divisor);
  consider(forms, plus(forms, rest, atom_form(forms, kept), factor), best);
}

}  // namespace

Spelling spell(Forms& forms, Linear form) {
  const Nested nested(forms);
  if (forms.refused) return {kMaxPrice, form};
  if (is_written_at_once(forms, form)) return {price_of(forms, form, atom_price), form};
  const FormKey key(form);
  if (const int32_t memo = forms.spelling_memo.find(key); memo >= 0) {
    return forms.spellings[memo];
  }
  Spelling best{kMaxPrice, form};
  offer_other_words(forms, form, best);
  // Most floors vanish on the way; those of words that cannot win are not priced.
  if (forms.refused) return best;
  if (may_win(price_of(forms, form, least_atom_price), best)) {
    const Spelling own{price_of(forms, form, atom_price), form};
    if (is_better(forms, own, best)) best = own;
  }
  forms.spelling_memo.insert(key, static_cast<int32_t>(forms.spellings.size()));
  forms.spellings.push_back(best);
  return best;
}

}  // namespace tileproof::impl

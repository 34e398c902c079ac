#include "impl/map/extraction/cost.h"

#include <algorithm>
#include <bit>

#include "impl/map/extraction/extraction.h"

namespace tileproof::impl {
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
  if (kind == AtomKind::kSum) {
    price = spell(forms, inside).price;
  } else if (kind == AtomKind::kProduct || kind == AtomKind::kFactored) {
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

bool is_better(const Forms& forms, const Spelling& a, const Spelling& b) {
  if (a.price != b.price) return a.price < b.price;
  return key_of(forms, a.words) < key_of(forms, b.words);
}

int64_t least_atom_price(Forms& forms, int32_t atom) {
  const Atom& it = forms.atoms[atom];
  if (it.kind == AtomKind::kVariable) return kNodePrice;
  return it.price >= 0 ? it.price : 3 * kNodePrice;  // an operation and its operands
}

int64_t price_of(Forms& forms, const Linear& words, int64_t (*price_of_atom)(Forms&, int32_t)) {
  int64_t price = 0;
  for (const Term& term : words) {
    price += price_of_atom(forms, term.atom) + kNodePrice;
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

bool is_written_at_once(const Forms& forms, const Linear& words) {
  return std::none_of(words.begin(), words.end(), [&](const Term& term) {
    const AtomKind kind = forms.atoms[term.atom].kind;
    return kind == AtomKind::kFloor || kind == AtomKind::kProduct;
  });
}

int64_t least_price_of(Forms& forms, const Linear& words) {
  if (is_written_at_once(forms, words)) return price_of(forms, words, least_atom_price);
  int64_t price = kNodePrice;  // of what the others become, if they become part of a word
  for (const Term& term : words) {
    const bool is_word = forms.atoms[term.atom].kind >= AtomKind::kMod;
    if (is_word) price += least_atom_price(forms, term.atom) + kNodePrice;
  }
  return std::max(price, 3 * kNodePrice);
}

int64_t least_operand_price(const Forms& forms, const Linear& s, int64_t b) {
  int64_t nodes = s.constant % b == 0 ? -1 : 1;
  bool factor = false;
  for (const Term& term : s) {
    const int64_t r = floor_remainder(term.factor, b);
    if (r == 0) continue;
    const AtomKind kind = forms.atoms[term.atom].kind;
    if (kind == AtomKind::kFloor || kind == AtomKind::kProduct) return 3 * kNodePrice;
    nodes += 2;
    factor |= r != 1;
  }
  return std::max<int64_t>(nodes + (factor ? 2 : 0), 1) * kNodePrice;
}

int64_t least_price_with(Forms& forms, const Linear& rest, int64_t k, int64_t word_price) {
  if (rest.count == 0 && rest.constant == 0) {
    return word_price + (k == 1 ? 0 : 2 * kNodePrice + constant_price(k));
  }
  if (!is_written_at_once(forms, rest)) return word_price + 2 * kNodePrice;
  const bool shared = k == 1 || std::any_of(rest.begin(), rest.end(),
                                            [&](const Term& term) { return term.factor == k; });
  return word_price + price_of(forms, rest, least_atom_price) + kNodePrice +
         (shared ? 0 : 2 * kNodePrice + constant_price(k));
}

}  // namespace tileproof::impl

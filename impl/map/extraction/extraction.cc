// SPDX-License-Identifier: Apache-2.0
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
#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {
namespace {

// The work of the search for one expression: docs/performance.md has what other limits do.
constexpr int64_t kMaxSearch = 1'500;

// Counts the work while a call of extract lasts.
class SearchScope {
 public:
  explicit SearchScope(NormalFormContext& context) : context_(context) {
    if (context.search.nested++ == 0) context.search.start = context.work;
  }
  ~SearchScope() {
    if (--context_.search.nested == 0)
      context_.search.used += context_.work - context_.search.start;
  }
  SearchScope(const SearchScope&) = delete;
  SearchScope& operator=(const SearchScope&) = delete;

 private:
  NormalFormContext& context_;
};

// Returns whether the work of the search is done.
bool search_ends(const NormalFormContext& context) {
  const SearchWork& search = context.search;
  return search.used + context.work - search.start > kMaxSearch;
}

// Lists are nearly always short, so they need no heap memory.
using Terms = absl::InlinedVector<Term, 8>;
using Linears = absl::InlinedVector<Linear, 6>;

// Offers a rendering: keeps it if it is the cheapest so far.
void consider(NormalFormContext& context, const Linear& rendering, Extraction& best) {
  if (!may_win(least_cost_of(context, rendering), best)) return;
  const Extraction extraction = extract(context, rendering, best.cost);
  if (is_better(context, extraction, best)) best = extraction;
}

// The first term with factor 1 or -1; null if there is none.
const Term* unit_term(const Linear& form) {
  for (const Term& term : form) {
    if (term.factor == 1 || term.factor == -1) return &term;
  }
  return nullptr;
}

// S with the factors of its floors changed by multiples of b so that they become parts of a mod, if
// possible: x + 2 * floor(x / 14) modulo 8 is x - 14 * floor(x / 14).
Linear with_digits(NormalFormContext& context, const Linear& s, int64_t b) {
  Term* out = context.arena.reserve(s.count);
  std::copy(s.begin(), s.end(), out);
  context.arena.keep(s.count);
  for (Term& term : std::span(out, static_cast<size_t>(s.count))) {
    const Atom& atom = context.atoms[term.atom];
    const Term* unit = atom.kind == AtomKind::kFloor ? unit_term(atom.inside) : nullptr;
    if (unit == nullptr) continue;
    const Wide wanted = -Wide{factor_of(s, unit->atom)} * unit->factor * atom.divisor;
    const auto factor = static_cast<int64_t>(wanted);
    if (factor == wanted && (wanted - term.factor) % b == 0) term.factor = factor;
  }
  return {out, s.count, s.constant};
}

// Adds operands in which a floor f = floor(I / D) of S is a whole digit: X - B * f, with
// X = floor(I / (D / B)), equals S up to multiples of b and fewer terms. Example:
// (d1 + floor(d0 / 4) - f) modulo 3 is (4 * d1 + floor(d0 / 4)) mod 10 for
// f = floor((16 * d1 + d0) / 40).
void add_whole_digits(NormalFormContext& context, const Linear& s, int64_t b, Linears& operands) {
  const auto add_digit = [&](const Term& floor, const Atom& atom, int64_t finer) {
    const int64_t base = atom.divisor / finer;
    const int64_t sign = (Wide{floor.factor} + base) % b == 0 ? 1 : -1;
    if ((Wide{floor.factor} + sign * Wide{base}) % b != 0) return;
    Linear digit = floor_of(context, atom.inside, finer);
    digit =
        plus(context, times(context, digit, sign), atom_form(context, floor.atom), -sign * base);
    const Linear rest = pull_multiple(context, plus(context, s, digit, -1), b).rest;
    if (rest.count + 1 < s.count) operands.push_back(plus(context, digit, rest));
  };
  for (const Term& floor : s) {
    const Atom atom = context.atoms[floor.atom];
    if (atom.kind != AtomKind::kFloor) continue;
    for (const Term& other : s) {
      const Atom& fine = context.atoms[other.atom];
      if (fine.kind != AtomKind::kFloor || atom.divisor % fine.divisor != 0) continue;
      const int64_t finer = other.atom == floor.atom ? 1 : fine.divisor;
      if (!context.gave_up) add_digit(floor, atom, finer);
    }
  }
}

struct CostedRendering {
  Linear rendering;
  int64_t cost;
};

// S with factors from (-b, b), of the two that are equal modulo b the one with the cheaper constant.
// Nothing if that is `near` or `positive`, which have the same atoms.
std::optional<Linear> with_cheap_factors(NormalFormContext& context, const Linear& near,
                                         const Linear& positive) {
  const auto cost_of_factor = [](int64_t factor) {
    return factor == 1 ? 0 : 1 + constant_cost(factor);
  };
  bool all_near = true, all_positive = true;
  Term* out = context.arena.reserve(near.count);
  for (int32_t i = 0; i < near.count; ++i) {
    const Term &a = near.terms[i], &b = positive.terms[i];
    const bool is_positive = cost_of_factor(b.factor) <= cost_of_factor(a.factor);
    out[i] = is_positive ? b : a;
    if (a.factor == b.factor) continue;
    (is_positive ? all_near : all_positive) = false;
  }
  if (all_near || all_positive) return std::nullopt;
  context.arena.keep(near.count);
  return Linear{out, near.count, positive.constant};
}

// The cheapest operand of S mod b: S itself, reduced modulo b, or rewritten with mods.
CostedRendering cheapest_operand(NormalFormContext& context, const Linear& s, int64_t b) {
  const Linear near = pull_multiple(context, s, b).rest;
  Term* out = context.arena.reserve(s.count);
  int32_t count = 0;
  for (const Term& term : s) {
    const int64_t r = floor_remainder(term.factor, b);
    if (r != 0) out[count++] = {term.atom, r};
  }
  context.arena.keep(count);
  const Linear positive{out, count, floor_remainder(s.constant, b)};
  Linears others = {near, with_digits(context, near, b), s};
  if (const auto cheap = with_cheap_factors(context, near, positive)) others.push_back(*cheap);
  add_whole_digits(context, near, b, others);
  Linear best = positive;
  Extraction extraction = extract(context, positive);
  for (const Linear& other : others) {
    if (other == best || !may_win(least_cost_of(context, other), extraction)) continue;
    const Extraction candidate = extract(context, other, extraction.cost);
    if (is_better(context, candidate, extraction)) {
      best = other;
      extraction = candidate;
    }
  }
  return {best, extraction.cost};
}

// x / k, if k divides x and the quotient fits.
std::optional<int64_t> exact_quotient(int64_t x, int64_t k) {
  if (k == -1) return x == INT64_MIN ? std::nullopt : std::optional(-x);
  if (x % k != 0) return std::nullopt;
  return x / k;
}

bool has_new_floor(const NormalFormContext& context, const Linear& rendering,
                   const Linear& before) {
  for (const Term& term : rendering) {
    if (context.atoms[term.atom].kind == AtomKind::kFloor && factor_of(before, term.atom) == 0) {
      return true;
    }
  }
  return false;
}

// A sum with one of its floor atoms as sign * floor(inside / divisor).
struct View {
  Linear rendering;  // the sum
  int32_t floor;
  int64_t factor;  // C: rendering = rest + C * floor(inside / divisor)
  Linear rest;
  Linear inside;
  int64_t divisor;
};

// The part of rest / k without the target's atoms that stays in [0, slack). Then
// floor((slack * I + part) / (slack * c)) = floor(I / c) for every I.
Linear small_part(NormalFormContext& context, const View& view, const Linear& target, int64_t k,
                  int64_t b, int64_t slack) {
  Wide room = slack - 1;
  Term* out = context.arena.reserve(view.rest.count);
  int32_t count = 0;
  for (const Term& term : view.rest) {
    const std::optional<int64_t> q = exact_quotient(term.factor, k);
    const Range& range = context.atoms[term.atom].range;
    if (!q || *q <= 0 || range.low < 0 || factor_of(target, term.atom) != 0 ||
        range.high * *q > room) {
      continue;
    }
    room -= range.high * *q;
    out[count++] = {term.atom, *q};
  }
  context.arena.keep(count);
  int64_t constant = 0;
  if (const std::optional<int64_t> q = exact_quotient(view.rest.constant, k)) {
    const Wide apart = (Wide{*q} - target.constant) % b;
    const Wide step = apart < 0 ? apart + b : apart;
    if (step <= room) constant = static_cast<int64_t>(step);
  }
  return {out, count, constant};
}

// The terms that k divides, divided by k.
Linear divisible_part(NormalFormContext& context, const Linear& form, int64_t k) {
  Term* out = context.arena.reserve(form.count);
  int32_t count = 0;
  for (const Term& term : form) {
    const std::optional<int64_t> q = exact_quotient(term.factor, k);
    if (q) out[count++] = {term.atom, *q};
  }
  context.arena.keep(count);
  return {out, count, exact_quotient(form.constant, k).value_or(0)};
}

// An S with floor(S / b) = floor(inside / c) + (S - part) / b, so that
//     rendering - k * (S mod b) = rest - k * part
struct Operand {
  Linear part;
  Linear s;
};

// If b divides c or c divides b, S is known (floor-of-floor, small-part).
Operand known_operand(NormalFormContext& context, const View& view, int64_t k, int64_t b) {
  const int64_t c = view.divisor;
  Linear part;
  if (c % b == 0) {
    part = floor_of(context, view.inside, c / b);
  } else {
    part = times(context, view.inside, b / c);
    part = plus(context, part, small_part(context, view, part, k, b, b / c));
  }
  return {part, part};
}

// S for k * (S mod b): the part, and all multiples of b in left / k, where `left` is the rest
// without k * part.
Linear matching_operand(NormalFormContext& context, const Linear& part, const Linear& left,
                        int64_t k, int64_t b) {
  Terms terms;
  for (const Term& term : left) {
    const std::optional<int64_t> q = exact_quotient(term.factor, k);
    if (q && *q % b == 0) terms.push_back({term.atom, *q});
  }
  const std::optional<int64_t> q = exact_quotient(left.constant, k);
  const int64_t constant = q && *q % b == 0 ? *q : 0;
  return plus(context, part, collected(context, absl::MakeSpan(terms), constant));
}

// Otherwise S is guessed: the floor dropped a small part, and S is finer.
std::optional<Operand> guessed_operand(NormalFormContext& context, const View& view, int64_t k,
                                       int64_t b) {
  const Linear s = divisible_part(context, view.rest, k);
  const Linear floor = floor_of(context, s, b);
  // Check that the floor vanishes from rendering - k * (S - b * floor).
  const int64_t sign = factor_of(floor, view.floor);
  if (factor_of(view.rendering, view.floor) + Wide{k} * b * sign != 0) return std::nullopt;
  const Linear others = plus(context, floor, atom_form(context, view.floor), -sign);
  return Operand{plus(context, s, others, -b), s};
}

// How much less than its lower bound a term costs in the extended dialect, at most: a negative
// divisor saves the sign of a sum, ceildiv a constant.
int64_t dialect_slack(const NormalFormContext& context) {
  return context.dialect == Dialect{} ? 0 : 5 * kNodeCost;
}

// Returns whether rest + k * term may win, if the term costs at least `cost`. With a negative
// divisor, its factor is -k.
bool may_win_with(NormalFormContext& context, const Linear& rest, int64_t k, int64_t cost,
                  const Extraction& best) {
  const int64_t least = cost - dialect_slack(context);
  if (may_win(least_cost_with(context, rest, k, least), best)) return true;
  return context.dialect.negative_divisors && k != INT64_MIN &&
         may_win(least_cost_with(context, rest, -k, least), best);
}

// Offers the sum with the floor as part of k * (S mod b), k = -C / b, if that is possible.
void offer_mod(NormalFormContext& context, const View& view, int64_t b, Extraction& best) {
  const int64_t k = -view.factor / b;
  const bool known = view.divisor % b == 0 || b % view.divisor == 0;
  const std::optional<Operand> operand =
      known ? known_operand(context, view, k, b) : guessed_operand(context, view, k, b);
  if (!operand || context.gave_up) return;
  // The cost of the known parts decides most cases early: s equals the operand modulo b.
  const auto cost_of_mod = [&](int64_t operand_cost) {
    return operand_cost + 2 * kNodeCost + constant_cost(b);
  };
  const int64_t least = cost_of_mod(least_operand_cost(context, operand->s, b));
  if (!may_win(least - dialect_slack(context), best)) return;
  const Linear rest = plus(context, view.rest, operand->part, -k);
  if (rest.count >= view.rendering.count || has_new_floor(context, rest, view.rendering) ||
      !may_win_with(context, rest, k, least, best)) {
    return;
  }
  const Linear s = known ? matching_operand(context, operand->part, rest, k, b) : operand->s;
  const CostedRendering operand_rendering = cheapest_operand(context, s, b);
  if (context.gave_up) return;
  const int64_t cost = cost_of_mod(operand_rendering.cost);
  if (!may_win_with(context, rest, k, cost, best)) return;
  const int32_t mod = mod_atom(context, operand_rendering.rendering, b);
  if (context.gave_up) return;
  consider(context, plus(context, rest, atom_form(context, mod), k), best);
  if (!context.dialect.negative_divisors) return;
  // mod-of-negative-divisor: S mod b = -(-S mod -b)
  const int32_t negative =
      mod_atom(context, cheapest_operand(context, times(context, s, -1), b).rendering, -b);
  if (!context.gave_up)
    consider(context, plus(context, rest, atom_form(context, negative), -k), best);
}

// Moves floors f of the sum, with factor C * q, that form a mod inside: inside + c * q * f contains
// x - b * f for an x with f = floor(x / b).
void move_digits(NormalFormContext& context, const View& view, const Linear& inside, Terms& moved) {
  for (const Term& term : view.rest) {
    const Atom& atom = context.atoms[term.atom];
    if (atom.kind != AtomKind::kFloor || factor_of(inside, term.atom) != 0) continue;
    const Term* unit = unit_term(atom.inside);
    const std::optional<int64_t> q = exact_quotient(term.factor, view.factor);
    if (unit == nullptr || !q) continue;
    const Wide digit = -Wide{factor_of(inside, unit->atom)} * unit->factor * atom.divisor;
    if (Wide{*q} * view.divisor == digit) moved.push_back({term.atom, *q});
  }
}

// Offers the sum after moving everything possible into the floor.
void offer_quotient(NormalFormContext& context, const View& view, bool negated, Extraction& best) {
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
  if (has_floor(context, view.rest)) {
    const Linear q = collected(context, absl::MakeSpan(moved), shift);
    move_digits(context, view, plus(context, view.inside, q, view.divisor), moved);
  }
  // Negation alone can save a sign, but never the constant, which is the smaller one already.
  const auto has_sign = [](const Linear& sum) {
    return std::any_of(sum.begin(), sum.end(), [](const Term& term) { return term.factor < 0; });
  };
  const bool new_rendering =
      !moved.empty() || shift != 0 || (negated && (factor > 0 || !has_sign(view.inside)));
  if (!new_rendering && context.dialect == Dialect{}) return;
  const Linear q = collected(context, absl::MakeSpan(moved), shift);
  const Linear inside = plus(context, view.inside, q, view.divisor);
  if (context.gave_up) return;
  const Linear rest = plus(context, view.rest, q, -factor);
  const int64_t c = view.divisor;
  const int64_t least = least_cost_of(context, inside) + 2 * kNodeCost + constant_cost(c);
  if (!may_win_with(context, rest, factor, least, best)) return;
  const auto offer = [&](int32_t quotient) {
    consider(context, plus(context, rest, atom_form(context, quotient), factor), best);
  };
  if (new_rendering) {
    offer(quotient_atom(context, inside, c));
    if (context.proof_log != nullptr) log_quotient(context, view.floor, inside, q, negated);
  }
  if (context.dialect.negative_divisors)
    offer(quotient_atom(context, times(context, inside, -1), -c));
  if (context.dialect.ceildiv) {  // ceildiv-is-floordiv: floor(x / c) = ceil((x - c + 1) / c)
    const Linear low = plus(context, inside, constant(1 - c));
    offer(ceiling_atom(context, low, c));
    if (context.dialect.negative_divisors)
      offer(ceiling_atom(context, times(context, low, -1), -c));
  }
}

// The floors of a sum that may get another rendering: those whose factor can be negated.
bool is_open_floor(const NormalFormContext& context, const Term& term) {
  return context.atoms[term.atom].kind == AtomKind::kFloor && term.factor != INT64_MIN;
}

// The open floor with the largest divisor; the first one if there are several. There is at least
// one.
int32_t coarsest_floor(const NormalFormContext& context, const Linear& rendering) {
  const Term* best = nullptr;
  for (const Term& term : rendering) {
    if (!is_open_floor(context, term)) continue;
    if (best == nullptr || context.atoms[term.atom].divisor > context.atoms[best->atom].divisor) {
      best = &term;
    }
  }
  return best->atom;
}

// Offers C * floor(I / c) as part of C * ((J mod b) floordiv e), if floor(J / b) occurs, too.
void offer_floor_of_mod(NormalFormContext& context, const Linear& rendering, int32_t number,
                        int32_t modulus, int64_t factor, Extraction& best) {
  const Linear j = context.atoms[modulus].inside;
  const Term* unit = unit_term(j);
  if (unit == nullptr) return;
  const int64_t b = context.atoms[modulus].divisor, c = context.atoms[number].divisor;
  const int64_t p = factor_of(context.atoms[number].inside, unit->atom) * unit->factor;
  for (const int64_t e : divisors_of_mod(p, b, c)) {
    const Linear mod = atom_form(context, mod_atom(context, j, b));
    const int32_t quotient = quotient_atom(context, mod, e);
    if (context.gave_up) return;
    const Linear meaning = context.atoms[quotient].meaning;
    const int64_t sign = factor_of(meaning, number);
    if (sign != 1 && sign != -1) continue;
    const Linear rest = plus(context, rendering, meaning, -factor * sign);
    if (context.gave_up) return;
    if (has_new_floor(context, rest, rendering)) continue;
    consider(context, plus(context, rest, atom_form(context, quotient), factor * sign), best);
  }
}

void offer_floor(NormalFormContext& context, const Linear& rendering, int32_t number,
                 Extraction& best) {
  if (search_ends(context)) return;
  const Linear inside = context.atoms[number].inside;
  const int64_t divisor = context.atoms[number].divisor;
  const int64_t factor = factor_of(rendering, number);
  const Linear rest = without_atom(context, rendering, number);
  const View view{rendering, number, factor, rest, inside, divisor};
  View negated = view;
  negated.factor = -factor;
  negated.inside = plus(context, constant(divisor - 1), inside, -1);
  if (rest.count > 0) {
    const Numbers moduli = moduli_for(rest, factor, divisor);
    for (const View* it : {&view, &std::as_const(negated)}) {
      for (const int64_t b : moduli) offer_mod(context, *it, b, best);
    }
  }
  offer_quotient(context, view, false, best);
  offer_quotient(context, negated, true, best);
  for (const Term& term : rest) {
    if (context.gave_up) return;
    if (context.atoms[term.atom].kind == AtomKind::kFloor) {
      offer_floor_of_mod(context, rendering, number, term.atom, factor, best);
    }
  }
}

bool has_product(const NormalFormContext& context, const Linear& rendering) {
  return std::any_of(rendering.begin(), rendering.end(), [&](const Term& term) {
    return context.atoms[term.atom].kind == AtomKind::kProduct;
  });
}

// Sums with more floors than this try only one order.
constexpr int kAllOrders = 2;

// Offers renderings of the same value, each with one floor less. With few floors, any may be next.
// With many, the coarsest goes first, because the mods that it may become contain the finer floors.
// If it stays a floor, it becomes a quotient, which is not considered again.
void offer_other_renderings(NormalFormContext& context, const Linear& rendering, Extraction& best) {
  if (has_product(context, rendering)) {
    std::vector<Linear> offers;
    offer_factors(context, rendering, offers);
    for (const Linear& offer : offers) consider(context, offer, best);
  }
  const auto floors = std::count_if(rendering.begin(), rendering.end(),
                                    [&](const Term& term) { return is_open_floor(context, term); });
  if (floors <= kAllOrders) {
    if (floors == 0) return;
    // The coarsest first: it becomes the mod, and then most other offers cost too much.
    const int32_t first = coarsest_floor(context, rendering);
    offer_floor(context, rendering, first, best);
    for (const Term& term : rendering) {
      if (context.gave_up) return;
      if (term.atom == first || !is_open_floor(context, term)) continue;
      offer_floor(context, rendering, term.atom, best);
    }
    return;
  }
  const int32_t number = coarsest_floor(context, rendering);
  offer_floor(context, rendering, number, best);
  if (context.gave_up) return;
  const int64_t factor = factor_of(rendering, number);
  const Linear rest = without_atom(context, rendering, number);
  const int32_t kept =
      quotient_atom(context, context.atoms[number].inside, context.atoms[number].divisor);
  consider(context, plus(context, rest, atom_form(context, kept), factor), best);
}

// Stores the extraction in the place `memo`, or in a new one if that is -1.
Extraction remember(NormalFormContext& context, const FormKey& key, int32_t memo,
                    const Extraction& extraction) {
  if (memo >= 0) return context.extractions[memo] = extraction;
  context.extraction_memo.insert(key, static_cast<int32_t>(context.extractions.size()));
  return context.extractions.emplace_back(extraction);
}

}  // namespace

void begin_search(Search& context) { context.search = {}; }

bool search_was_short(const Search& context) { return context.search.used <= kMaxSearch / 2; }

bool search_ended_early(const Search& context) { return context.search.used > kMaxSearch; }

Extraction extract(NormalFormContext& context, Linear form, int64_t bound) {
  const RecursionGuard nested(context);
  if (context.gave_up) return {kMaxCost, form};
  if (is_written_at_once(context, form)) return {cost_of(context, form, atom_cost), form};
  const FormKey key(form);
  const int32_t memo = context.extraction_memo.find(key);
  if (memo >= 0) {
    const Extraction& known = context.extractions[memo];
    if (known.found || known.cost > bound) return known;
  }
  const SearchScope search(context);
  Extraction best{std::min(bound + 1, kMaxCost), form, /*found=*/bound >= kMaxCost};
  offer_other_renderings(context, form, best);
  // Most floors vanish in the process; renderings that cannot win need no cost.
  if (context.gave_up) return best;
  if (may_win(cost_of(context, form, least_atom_cost), best)) {
    const Extraction own{cost_of(context, form, atom_cost), form};
    if (is_better(context, own, best)) best = own;
  }
  return remember(context, key, memo, best);
}

int64_t atom_cost(NormalFormContext& context, int32_t atom) {
  const AtomKind kind = context.atoms[atom].kind;
  if (kind == AtomKind::kVariable) return kNodeCost;
  if (context.atoms[atom].cost >= 0) return context.atoms[atom].cost;
  const Linear inside = context.atoms[atom].inside;
  int64_t cost = 0;
  if (kind == AtomKind::kSum) {
    cost = extract(context, inside).cost;
  } else if (kind == AtomKind::kProduct || kind == AtomKind::kFactored) {
    for (const Term& power : inside) {
      cost += power.factor * (atom_cost(context, power.atom) + kNodeCost);
    }
    cost -= kNodeCost;
  } else {
    cost =
        extract(context, inside).cost + 2 * kNodeCost + constant_cost(context.atoms[atom].divisor);
  }
  cost = std::min(cost, kMaxCost);
  context.atoms[atom].cost = cost;
  return cost;
}

}  // namespace tileproof::impl

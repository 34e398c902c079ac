// SPDX-License-Identifier: Apache-2.0
#include "impl/map/normal_form/floors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>

#include "impl/map/normal_form/assumed_sums.h"
#include "impl/map/proof_log/proof_log.h"

namespace tileproof::impl {
namespace {

// The factor modulo c that is nearest to zero; c/2 rather than -c/2.
int64_t nearest_remainder(int64_t x, int64_t c) {
  if (-(c / 2) < x && x <= c / 2) return x;
  const int64_t r = floor_remainder(x, c);
  return r > c / 2 ? r - c : r;
}

// A part B of an operand that stays in [m*g, (m+1)*g), where g divides operand - B.
struct Cell {
  Linear part;
  int64_t m;
};

// At most this many terms may have two possible remainders modulo g (those of two-valued atoms).
constexpr int kMaxChoices = 4;

bool in_one_cell(const Range& range, int64_t g) {
  return floor_wide(range.low, g) == floor_wide(range.high, g);
}

// The terms of x that are not multiples of g, each with the remainder modulo g that makes its range
// narrow.
struct Remainders {
  Term* terms;
  std::array<int, kMaxChoices> free;  // indices of terms r * a that could also be (r - g) * a
  int count = 0;
  int free_count = 0;
};

// The width of a term must be below g. For an atom of three or more values, only one remainder
// allows that: r or r - g.
bool narrow_remainders(const NormalFormContext& context, const Linear& x, int64_t g,
                       Remainders& out) {
  for (const Term& term : x) {
    const int64_t r = floor_remainder(term.factor, g);
    if (r == 0) continue;
    const Range& range = context.atoms[term.atom].range;
    const Wide width = range.high - range.low;
    // width * r < g, and so on: the product may take more than 128 bits.
    const bool up = width <= (g - 1) / r;
    const bool down = width <= (g - 1) / (g - r);
    if (!up && !down) return false;
    if (up && down && out.free_count < kMaxChoices) out.free[out.free_count++] = out.count;
    out.terms[out.count++] = {term.atom, up ? r : r - g};
  }
  return true;
}

// Searches remainders modulo g of all factors so that the sum stays inside one cell of g.
std::optional<Cell> fit_in_cell(NormalFormContext& context, const Linear& x, int64_t g) {
  Term* out = context.arena.reserve(2 * x.count);
  Remainders remainders{.terms = out + x.count, .free = {}};
  if (!narrow_remainders(context, x, g, remainders)) return std::nullopt;
  for (unsigned mask = 0; mask < (1u << remainders.free_count); ++mask) {
    std::copy_n(remainders.terms, remainders.count, out);
    for (unsigned bits = mask; bits != 0; bits &= bits - 1) {
      out[remainders.free[std::countr_zero(bits)]].factor -= g;
    }
    const Linear part{out, remainders.count, floor_remainder(x.constant, g)};
    const Range range = interval_sum(context, part);
    if (!in_one_cell(range, g)) continue;
    context.arena.keep(remainders.count);
    return Cell{part, static_cast<int64_t>(floor_wide(range.low, g))};
  }
  return std::nullopt;
}

// The factors g of c that can matter, the largest first: c, and the gcds of c with sets of factors.
struct Candidates {
  std::array<int64_t, 24> values;
  int count = 0;

  void add(int64_t g) {
    if (g <= 1 || count == std::ssize(values)) return;
    if (std::find(values.begin(), values.begin() + count, g) == values.begin() + count) {
      values[count++] = g;
    }
  }
};

// gcd(c, factor) for c > 0. Factors hardly ever have many steps of Euclid's algorithm, which
// std::gcd does not use.
int64_t common_factor(int64_t c, int64_t factor) {
  int64_t rest = factor % c;
  if (rest < 0) rest = -rest;
  while (rest != 0) {
    const int64_t next = c % rest;
    c = rest;
    rest = next;
  }
  return c;
}

Candidates cell_candidates(const Linear& x, int64_t c) {
  Candidates result;
  result.add(c);
  for (const Term& term : x) {
    const int64_t g = common_factor(c, term.factor);
    if (g == 1) continue;
    const int before = result.count;
    result.add(g);
    if (result.count == before) continue;
    for (int i = 1; i < before; ++i) result.add(common_factor(g, result.values[i]));
  }
  if (result.count > 1) {
    std::sort(result.values.begin(), result.values.begin() + result.count, std::greater<>());
  }
  return result;
}

// The lemmas one-cell and drop-small-part, tried on the atoms and then on the digits.
std::optional<Linear> drop_small_part(NormalFormContext& context, const Linear& x, int64_t c) {
  const Candidates candidates = cell_candidates(x, c);
  const Linear digits = has_floor(context, x) ? in_digits(context, x) : x;
  const bool two_ways = !(digits == x);
  for (int i = 0; i < candidates.count && !context.gave_up; ++i) {
    const int64_t g = candidates.values[i];
    const Linear* rendering = &x;
    std::optional<Cell> cell = fit_in_cell(context, x, g);
    if (!cell && two_ways) {
      cell = fit_in_cell(context, digits, g);
      rendering = &digits;
    }
    if (!cell) continue;
    const Linear a =
        meaning_of(context, divided(context, plus(context, *rendering, cell->part, -1), g));
    const Linear floor = floor_of(context, plus(context, a, constant(cell->m)), c / g);
    if (context.proof_log != nullptr) {
      log_small_part(context, x, c, cell->part, g, cell->m, a, floor);
    }
    return floor;
  }
  if (!context.assumptions.empty()) {  // the assumptions may give tighter ranges
    const Range range = range_of(context, x);
    if (in_one_cell(range, c)) {
      const auto m = static_cast<int64_t>(floor_wide(range.low, c));
      if (context.proof_log != nullptr) log_one_cell(context, x, c, m);
      return constant(m);
    }
  }
  return std::nullopt;
}

// The lemmas one-cell and drop-small-part for this part of x, and its constant. A part with one
// value is small with any rest, but the result is simpler for certain only if all atoms of the part
// vanish.
std::optional<Linear> drop_part(NormalFormContext& context, const Linear& x, int64_t c,
                                Linear part) {
  part.constant = x.constant;
  const Linear others = plus(context, x, part, -1);
  int64_t g = c;
  for (const Term& term : others) g = std::gcd(g, term.factor);
  if (g != c && others.count > x.count - part.count) return std::nullopt;
  const Range range = range_of(context, part);
  if (!in_one_cell(range, g)) return std::nullopt;
  const auto m = static_cast<int64_t>(floor_wide(range.low, g));
  if (m != floor_wide(range.low, g)) return std::nullopt;
  if (others.is_constant()) {
    if (context.proof_log != nullptr) log_one_cell(context, x, c, m);
    return constant(m);
  }
  const Linear a = divided(context, others, g);
  const Linear floor = floor_of(context, plus(context, a, constant(m)), c / g);
  if (context.proof_log != nullptr) log_assumed_part(context, x, c, part, g, m, a, floor);
  return floor;
}

// Like drop_small_part, for sums that an assumption bounds: with d0 mod 4 in [0, 2],
// floor((d0 mod 4 + 3 * d1) / 3) = d1.
std::optional<Linear> drop_assumed_part(NormalFormContext& context, const Linear& x, int64_t c) {
  if (context.assumptions.empty()) return std::nullopt;
  for (const AssumedPart& part : assumed_parts(context, x)) {
    const Linear assumption = times(context, context.assumptions[part.assumption].form, part.k);
    if (std::optional<Linear> floor = drop_part(context, x, c, assumption)) return floor;
  }
  return std::nullopt;
}

// Returns whether the first factor that is not c/2 is negative.
bool starts_negative(const Linear& x, int64_t c) {
  for (const Term& term : x) {
    if (c % 2 != 0 || term.factor != c / 2) return term.factor < 0;
  }
  return false;
}

// Returns whether -x + c - 1 should be the operand instead of x: the one with the smaller constant,
// because compilers hardly ever write the other. If both are equal, the one that starts positive.
bool prefers_negated(const Linear& x, int64_t c) {
  const int64_t other = c - 1 - x.constant;
  return x.constant != other ? other < x.constant : starts_negative(x, c);
}

bool is_unit_floor(const NormalFormContext& context, const Term& term) {
  return context.atoms[term.atom].kind == AtomKind::kFloor &&
         (term.factor == 1 || term.factor == -1);
}

bool divisor_fits(const NormalFormContext& context, const Term& floor, int64_t c) {
  int64_t merged;
  return !__builtin_mul_overflow(context.atoms[floor.atom].divisor, c, &merged);
}

// two-halves: floor(X / m) - floor(X / (2m)) = floor((X + m) / (2m)). If x contains the left side,
// or its negation, treats it as that one floor. Takes the first if there are several.
std::optional<Inner> joined_halves(NormalFormContext& context, const Linear& x, int64_t c) {
  for (const Term& half : x) {
    const Atom atom = context.atoms[half.atom];
    if (!is_unit_floor(context, half) || atom.divisor % 2 != 0 || !divisor_fits(context, half, c))
      continue;
    const int64_t m = atom.divisor / 2, sign = -half.factor;
    const Linear whole = floor_of(context, atom.inside, m);
    int found = 0;
    bool all = true;
    for (const Term& term : whole) {
      if (context.atoms[term.atom].kind != AtomKind::kFloor) continue;
      ++found;
      all &= factor_of(x, term.atom) * sign == term.factor;
    }
    if (found == 0 || !all) continue;
    const Linear value = plus(context, whole, atom_form(context, half.atom), -1);
    const Linear inside = plus(context, atom.inside, constant(m));
    if (is_logging(context)) log_halves(context, half.atom, whole);
    return Inner{inside, atom.divisor, value, sign, plus(context, x, value, -sign)};
  }
  return std::nullopt;
}

// The first floor with factor 1 or -1 whose merged divisor fits 64 bits.
std::optional<Inner> first_unit_floor(NormalFormContext& context, const Linear& x, int64_t c) {
  for (const Term& term : x) {
    if (!is_unit_floor(context, term) || !divisor_fits(context, term, c)) continue;
    const Linear value = atom_form(context, term.atom);
    const Atom& atom = context.atoms[term.atom];
    return Inner{atom.inside, atom.divisor, value, term.factor,
                 plus(context, x, value, -term.factor)};
  }
  return std::nullopt;
}

// The operand of floor((sign * floor(M / m) + R) / c) after merging, to be divided by m * c (lemmas
// merge-inner-floor and merge-inner-negated-floor).
Linear merged_operand(NormalFormContext& context, const Inner& inner) {
  const Linear operand =
      plus(context, times(context, inner.rest, inner.divisor), inner.inside, inner.sign);
  return inner.sign > 0 ? operand : plus(context, operand, constant(inner.divisor - 1));
}

// The floors of X / (2m) and (X + m) / (2m) have the sum floor(X / m). Returns whether the second
// one stays: the one with the smaller constant, each reduced by negation first.
bool other_half_is_simpler(NormalFormContext& context, const Linear& operand, int64_t c) {
  const Linear rest = pull_multiple(context, operand, c).rest;
  const int64_t k = std::min(rest.constant, c - 1 - rest.constant), other = c / 2 - 1 - k;
  if (k != other) return other < k;
  return starts_negative(rest, c) == (rest.constant == k);
}

std::optional<Linear> merge_inner_floor(NormalFormContext& context, const Linear& x, int64_t c) {
  std::optional<Inner> inner = joined_halves(context, x, c);
  if (!inner) inner = first_unit_floor(context, x, c);
  if (!inner) return std::nullopt;
  const int64_t divisor = inner->divisor * c;
  const Linear operand = merged_operand(context, *inner);
  if (context.gave_up) return Linear{};
  if (c == 2 && other_half_is_simpler(context, operand, divisor)) {
    // Modulo 2 the factors 1 and -1 are equal: floor((h + R) / 2) = h + floor((R - h) / 2).
    const Linear h = plus(context, x, inner->rest, -1);
    inner->sign = -inner->sign;
    const Linear other = merged_operand(context, *inner);
    if (context.gave_up) return Linear{};
    const Linear floor = floor_of(context, other, divisor);
    if (context.proof_log != nullptr) {
      const LogScope aside(context);
      log_merge(context, *inner, c, other, floor);
      log_pull(context, x, c, h, plus(context, inner->rest, h, -1), floor);
    }
    return plus(context, floor, h);
  }
  const Linear floor = floor_of(context, operand, divisor);
  if (context.proof_log != nullptr) log_merge(context, *inner, c, operand, floor);
  return floor;
}

Linear new_floor(NormalFormContext& context, const Linear& x, int64_t c) {
  if (!prefers_negated(x, c)) return atom_form(context, floor_atom(context, x, c));
  const Linear negated = plus(context, constant(c - 1), x, -1);
  const Parts parts = pull_multiple(context, negated, c);
  const Linear atom = atom_form(context, floor_atom(context, parts.rest, c));
  const Linear floor = plus(context, atom, parts.quotient);
  if (context.proof_log != nullptr) {
    log_pull(context, negated, c, parts.quotient, parts.rest, atom);
    log_negated(context, x, c, negated, floor);
  }
  return times(context, floor, -1);
}

// floor(x / c) from its parts; `floor` is the floor of the rest.
Linear with_quotient(NormalFormContext& context, const Linear& x, int64_t c, const Parts& parts,
                     const Linear& floor) {
  if (context.proof_log != nullptr) log_pull(context, x, c, parts.quotient, parts.rest, floor);
  return plus(context, parts.quotient, floor);
}

Linear build_floor(NormalFormContext& context, const Linear& x, int64_t c) {
  const Parts parts = pull_multiple(context, x, c);
  if (parts.rest.is_constant()) return with_quotient(context, x, c, parts, {});
  std::optional<Linear> floor = drop_small_part(context, parts.rest, c);
  if (!floor) {
    if (const std::optional<Linear> whole = drop_assumed_part(context, x, c)) return *whole;
  }
  if (!floor) floor = merge_inner_floor(context, parts.rest, c);
  if (!floor) floor = new_floor(context, parts.rest, c);
  return with_quotient(context, x, c, parts, *floor);
}

}  // namespace

Parts pull_multiple(NormalFormContext& context, const Linear& x, int64_t c) {
  // Both parts are adjacent in the arena, which keeps what the first needs and then the second.
  Term* rest = context.arena.reserve(2 * x.count);
  Term* quotient = rest + x.count;
  int32_t kept = 0, pulled = 0;
  for (const Term& term : x) {
    const int64_t r = nearest_remainder(term.factor, c);
    if (r != 0) rest[kept++] = {term.atom, r};
    if (r == term.factor) continue;
    quotient[pulled++] = {term.atom, floor_quotient(term.factor, c) + (r < 0 ? 1 : 0)};
  }
  if (pulled == 0 && x.constant >= 0 && x.constant < c) return {{}, x};
  context.arena.keep(2 * x.count);
  return {{quotient, pulled, floor_quotient(x.constant, c)},
          {rest, kept, floor_remainder(x.constant, c)}};
}

Linear floor_of(NormalFormContext& context, Linear x, int64_t c) {
  if (c == 1) return x;
  if (x.is_constant()) return constant(floor_quotient(x.constant, c));
  if (context.gave_up) return {};
  const FormKey key(x, c);
  if (const int32_t memo = context.floor_memo.find(key); memo >= 0) {
    if (!context.floor_results[memo].open) return context.floor_results[memo].form;
    const Parts parts = pull_multiple(context, x, c);
    return with_quotient(context, x, c, parts, new_floor(context, parts.rest, c));
  }
  const RecursionGuard nested(context);
  if (context.gave_up) return {};
  // While this entry is open, the floor counts as an atom. So a recursion that needs it again ends.
  const auto position = static_cast<int32_t>(context.floor_results.size());
  context.floor_memo.insert(key, position);
  context.floor_results.push_back({});
  const Linear result = build_floor(context, x, c);
  if (context.gave_up) return {};
  context.floor_results[position] = {result, false};
  return result;
}

Linear floor_division(NormalFormContext& context, const Linear& x, int64_t c) {
  if (c > 0) return floor_of(context, x, c);
  if (c == INT64_MIN) {  // its negation does not fit 64 bits
    context.gave_up = true;
    return {};
  }
  return floor_of(context, times(context, x, -1), -c);  // negative-divisor
}

Linear ceil_division(NormalFormContext& context, const Linear& x, int64_t c) {
  return times(context, floor_division(context, times(context, x, -1), c), -1);
}

Linear remainder_of(NormalFormContext& context, const Linear& x, int64_t c) {
  const Linear floor = floor_division(context, x, c);
  if (c == INT64_MIN) return {};
  return plus(context, x, floor, -c);
}

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
#include "impl/map/simple_constraints.h"

#include <algorithm>
#include <numeric>

#include "impl/map/domain/constraint.h"
#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {
namespace {

Range range_of(const SimpleTerm& term) {
  const Wide a = Wide{term.low} * term.factor, b = Wide{term.high} * term.factor;
  return term.factor < 0 ? Range{b, a} : Range{a, b};
}

Range range_of(const SimpleSum& sum) {
  Range all{0, 0};
  for (const SimpleTerm& term : sum) {
    const Range own = range_of(term);
    all = {all.low + own.low, all.high + own.high};
  }
  return all;
}

// Returns whether the constraint's sum is in normal form: no common factor, the factor of its first
// variable is positive.
bool is_scaled_down(const SimpleSum& sum) {
  int64_t g = 0;
  const SimpleTerm* first = &sum.terms[0];
  for (const SimpleTerm& term : sum) {
    g = std::gcd(g, term.factor);
    if (term.variable < first->variable) first = &term;
  }
  return g == 1 && first->factor > 0;
}

// Returns whether the part B of the sum g*A + B stays in a constraint (drop_part of
// impl/map/domain/constraint.cc, for one g; B has the factors that g does not divide).
bool keeps_part(const SimpleSum& sum, const Range& range, const Range& all, int64_t g) {
  Range part{0, 0};
  for (const SimpleTerm& term : sum) {
    if (term.factor % g == 0) continue;
    const Range own = range_of(term);
    part = {part.low + own.low, part.high + own.high};
  }
  const bool low_decided =
      ceil_wide(range.low - part.low, g) == ceil_wide(range.low - part.high, g);
  const bool high_decided =
      floor_wide(range.high - part.high, g) == floor_wide(range.high - part.low, g);
  return (!low_decided && range.low > all.low) || (!high_decided && range.high < all.high);
}

// The first g for which drop_part drops a part; 0 if there is none, -1 if more than two factors are no
// units.
int64_t dropped_factor(const SimpleSum& sum, const Range& range, const Range& all) {
  int64_t one = 1, other = 1;
  for (const SimpleTerm& term : sum) {
    const int64_t g = magnitude(term.factor);
    if (g == 1) continue;
    if (other != 1) return -1;
    other = std::min(one, g);
    one = std::max(one, g);
  }
  for (const int64_t g : {one, other, std::gcd(one, other)}) {
    if (g > 1 && !keeps_part(sum, range, all, g)) return g;
  }
  return 0;
}

// Gives the variable of the term bounds within `own`. No, if it has no values there.
bool narrow(const SimpleTerm& term, Range own, SimpleReader& reader, bool& changed) {
  own = {std::max<Wide>(own.low, term.low), std::min<Wide>(own.high, term.high)};
  if (own.low > own.high) return false;
  if (own == Range{term.low, term.high}) return true;
  changed = true;
  return reader.narrow(term.variable, static_cast<int64_t>(own.low),
                       static_cast<int64_t>(own.high));
}

// The values x for which f * x is in the range.
Range quotients(const Range& range, Wide f) {
  return f > 0 ? Range{ceil_wide(range.low, f), floor_wide(range.high, f)}
               : Range{ceil_wide(-range.high, -f), floor_wide(-range.low, -f)};
}

// The constraint g*A + B on sum, of which drop_part drops B: the bounds that it leaves for A, if that
// is one variable. They must be tighter, so that another round sees the constraint once more.
bool drop_part(const SimpleSum& sum, const Range& range, int64_t g, SimpleReader& reader,
               bool& changed) {
  const SimpleTerm* left = nullptr;
  Range part{0, 0};
  for (const SimpleTerm& term : sum) {
    if (term.factor % g == 0) {
      if (left != nullptr) return false;
      left = &term;
    } else {
      const Range own = range_of(term);
      part = {part.low + own.low, part.high + own.high};
    }
  }
  // Where B decides, the values of A that all B allow are those that some B allows.
  const Range all{range.low - part.high, range.high - part.low};
  const Range both{range.low - part.low, range.high - part.high};
  Range own{ceil_wide(both.low, g), floor_wide(both.high, g)};
  if (ceil_wide(all.low, g) != own.low) own.low = floor_wide(range_of(*left).low, g);
  if (floor_wide(all.high, g) != own.high) own.high = floor_wide(range_of(*left).high, g);
  bool tighter = false;
  if (!narrow(*left, quotients(own, left->factor / g), reader, tighter)) return false;
  changed |= tighter;
  return tighter;
}

// Writes the bounds that the sum and its interval leave. No, if a part of the sum may be dropped, unless
// that leaves bounds.
bool tighten(const SimpleSum& sum, const Interval& interval, SimpleReader& reader, bool& changed) {
  const Range all = range_of(sum);
  const Range range{std::max<Wide>(interval.low, all.low), std::min<Wide>(interval.high, all.high)};
  if (range.low > range.high) return false;  // a contradiction
  if (range.low != interval.low || range.high != interval.high) return false;
  const int64_t g = dropped_factor(sum, range, all);
  if (g != 0) return g > 0 && drop_part(sum, range, g, reader, changed);
  for (const SimpleTerm& term : sum) {
    const Range own = range_of(term);
    const Wide low = range.low - (all.high - own.high), high = range.high - (all.low - own.low);
    if (low <= own.low && high >= own.high) continue;
    if (!narrow(term, quotients({low, high}, term.factor), reader, changed)) return false;
  }
  return true;
}

// Gives the variable bounds with these residues modulo b. Then nothing else can tighten them.
bool pull_bounds(const SimpleTerm& term, int64_t b, const Interval& residues, SimpleReader& reader,
                 bool& changed) {
  const Range bounds{term.low, term.high};
  return narrow(term, pull_to_residues(bounds, b, {residues.low, residues.high}), reader, changed);
}

// Reads sum mod b in an interval, with factors 1. If one variable has b values or more, floor(sum / b)
// stays an atom, and the sum has all residues.
bool read_congruence(const SimpleSum& sum, int64_t b, const Interval& residues,
                     SimpleReader& reader, bool& changed) {
  if (residues.low < 0 || residues.low > residues.high || residues.high >= b ||
      residues.high - residues.low == b - 1) {
    return false;
  }
  bool wide = false;
  for (const SimpleTerm& term : sum) {
    if (term.factor != 1) return false;
    wide |= Wide{term.high} - term.low >= b;
  }
  if (!wide) return false;
  if (sum.count == 1) return pull_bounds(sum.terms[0], b, residues, reader, changed);
  // sum - b * floor(sum / b) in the interval tightens nothing (tighten in domain/constraint.cc).
  const Range all = range_of(sum);
  const Wide first = floor_wide(all.low, b) * b, last = floor_wide(all.high, b) * b;
  if (last > all.high - residues.low || first < all.low - residues.high) return false;
  for (const SimpleTerm& term : sum) {
    if (residues.low - (all.high - first - term.high) > term.low ||
        residues.high - (all.low - last - term.low) < term.high) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_implied(const SimpleSum& sum, const Interval& interval) {
  if (sum.modulus != 0 || sum.quotients > 0) return false;
  const Range all = range_of(sum);
  return interval.low <= all.low + sum.constant && all.high + sum.constant <= interval.high;
}

bool tighten_variable(const SimpleSum& sum, const Interval& interval, SimpleReader& reader,
                      bool& changed) {
  const SimpleTerm& term = sum.terms[0];
  if (term.op == Op::kMod || term.inner != 0) return false;
  Range own = quotients({Wide{interval.low} - sum.constant, Wide{interval.high} - sum.constant},
                        term.factor);
  if (term.divisor != 0) own = {own.low * term.divisor, own.high * term.divisor + term.divisor - 1};
  return narrow(term, own, reader, changed);
}

bool tighten_sum(const SimpleSum& sum, const Interval& interval, SimpleReader& reader,
                 bool& changed) {
  if (sum.modulus != 0) {
    return sum.count > 0 && read_congruence(sum, sum.modulus, interval, reader, changed);
  }
  return sum.count > 1 && is_scaled_down(sum) && tighten(sum, interval, reader, changed);
}

}  // namespace tileproof::impl

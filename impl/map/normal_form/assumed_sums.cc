#include "impl/map/normal_form/assumed_sums.h"

#include <algorithm>
#include <utility>

#include "impl/map/normal_form/ranges.h"

namespace tileproof::impl {
namespace {

bool has_atoms_of(const Linear& x, const Linear& known) {
  return std::all_of(known.begin(), known.end(),
                     [&](const Term& term) { return factor_of(x, term.atom) != 0; });
}

// How many times the known sum x is, both without their constants; 0 if not exactly.
int64_t times_in(const Linear& x, const Linear& known) {
  if (x.count != known.count) return 0;
  const int64_t k = x.terms[0].factor / known.terms[0].factor;  // no quotient by -1
  for (int32_t i = 0; i < x.count; ++i) {
    const Term &term = x.terms[i], &part = known.terms[i];
    if (term.atom != part.atom || term.factor != Wide{part.factor} * k) return 0;
  }
  return k;
}

// x - k * sum. (The least number, which has no negation, times a sum is all of x.)
Linear without_part(Forms& forms, const Linear& x, const Linear& sum, int64_t k) {
  return times_in(x, sum) == k ? constant(x.constant) : plus(forms, x, sum, -k);
}

bool has_one_value(const Known& known) { return known.range.low == known.range.high; }

// x with k * value in place of k * sum, where the constant stays within 64 bits.
std::optional<Linear> put_in(Forms& forms, const Linear& x, const Known& known, int64_t k) {
  const Wide constant = known.range.low * k + x.constant;
  if (constant < INT64_MIN || constant > INT64_MAX) return std::nullopt;
  Linear result = without_part(forms, without_constant(x), known.form, k);
  result.constant = static_cast<int64_t>(constant);
  return result;
}

Wide width(const Range& range) { return range.high - range.low; }

Range sum_of(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high}; }

KnownSplit with_part(Forms& forms, const KnownSplit& split, const KnownPart& part) {
  const Known& known = forms.known[part.known];
  KnownSplit result = split;
  result.parts.push_back(part);
  result.parts_range = sum_of(split.parts_range, scaled(known.range, part.k));
  result.rest = without_part(forms, split.rest, known.form, part.k);
  result.rest_range = range_of_atoms(forms, result.rest);
  result.range = sum_of(result.parts_range, result.rest_range);
  return result;
}

}  // namespace

std::vector<KnownPart> known_parts(const Forms& forms, const Linear& x) {
  std::vector<KnownPart> parts;
  for (size_t i = 0; i < forms.known.size(); ++i) {
    const Linear& sum = forms.known[i].form;
    if (!has_atoms_of(x, sum)) continue;
    if (!has_small_factors(x) || !has_small_factors(sum)) {
      if (const int64_t k = times_in(x, sum); k != 0) parts.push_back({i, k});
      continue;
    }
    for (const Term& term : sum) {
      const int64_t factor = factor_of(x, term.atom);
      const KnownPart part{i, factor / term.factor};
      const bool is_new = parts.empty() || parts.back() != part;
      if (factor % term.factor == 0 && is_new) parts.push_back(part);
    }
  }
  const auto size = [](const KnownPart& part) { return part.k < 0 ? -Wide{part.k} : part.k; };
  std::ranges::stable_sort(parts, {}, size);
  return parts;
}

std::optional<KnownSplit> split_by_known(Forms& forms, const Linear& x) {
  const std::vector<KnownPart> candidates = known_parts(forms, x);
  if (candidates.empty()) return std::nullopt;
  const Range alone = range_of_atoms(forms, x);
  KnownSplit split{{}, {}, x, alone, alone};
  for (bool found = true; found;) {
    found = false;
    const KnownSplit before = split;
    for (const KnownPart& part : candidates) {
      KnownSplit other = with_part(forms, before, part);
      if (width(other.range) >= width(split.range)) continue;
      split = std::move(other);
      found = true;
    }
    found = found && has_small_factors(split.rest);
  }
  if (split.parts.empty()) return std::nullopt;
  return split;
}

Linear with_known_sums(Forms& forms, Linear x, std::vector<KnownPart>* used) {
  for (bool found = true; found;) {
    found = false;
    for (const KnownPart& part : known_parts(forms, x)) {
      if (!has_one_value(forms.known[part.known])) continue;
      const std::optional<Linear> other = put_in(forms, x, forms.known[part.known], part.k);
      if (!other) continue;
      x = *other;
      if (used != nullptr) used->push_back(part);
      found = true;
      break;
    }
  }
  return x;
}

}  // namespace tileproof::impl

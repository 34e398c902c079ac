#include "impl/known_sums.h"

#include <algorithm>

#include "impl/ranges.h"

namespace tileproof::impl {
namespace {

bool has_atoms_of(const Linear& x, const Linear& known) {
  return std::all_of(known.begin(), known.end(),
                     [&](const Term& term) { return factor_of(x, term.atom) != 0; });
}

bool has_one_value(const Known& known) { return known.range.low == known.range.high; }

// x with k * value in place of k * sum, where the constant stays within 64 bits.
std::optional<Linear> put_in(Forms& forms, const Linear& x, const Known& known, int64_t k) {
  const Wide constant = known.range.low * k + x.constant;
  if (constant < INT64_MIN || constant > INT64_MAX) return std::nullopt;
  Linear result = plus(forms, without_constant(x), known.form, -k);
  result.constant = static_cast<int64_t>(constant);
  return result;
}

}  // namespace

std::vector<KnownPart> known_parts(const Forms& forms, const Linear& x) {
  std::vector<KnownPart> parts;
  if (forms.known.empty() || !has_small_factors(x)) return parts;
  for (size_t i = 0; i < forms.known.size(); ++i) {
    const Linear& sum = forms.known[i].form;
    if (!has_small_factors(sum) || !has_atoms_of(x, sum)) continue;
    for (const Term& term : sum) {
      const int64_t factor = factor_of(x, term.atom);
      if (factor % term.factor == 0) parts.push_back({i, factor / term.factor});
    }
  }
  std::ranges::stable_sort(parts, {}, [](const KnownPart& part) { return std::abs(part.k); });
  return parts;
}

int64_t times_in(const Linear& x, const Linear& known) {
  if (x.count != known.count || x.count == 0) return 0;
  if (known.terms[0].factor == -1 && x.terms[0].factor == INT64_MIN) return 0;
  const int64_t ratio = x.terms[0].factor / known.terms[0].factor;
  for (int32_t i = 0; i < x.count; ++i) {
    if (x.terms[i].atom != known.terms[i].atom ||
        Wide{known.terms[i].factor} * ratio != x.terms[i].factor) {
      return 0;
    }
  }
  return ratio;
}

std::optional<KnownSplit> split_by_known(Forms& forms, const Linear& x) {
  const std::vector<KnownPart> candidates = known_parts(forms, x);
  if (candidates.empty()) return std::nullopt;
  const Range alone = range_of_atoms(forms, x);
  KnownSplit split{{}, x, alone, alone};
  Range known_range;  // of the parts
  for (const KnownPart& part : candidates) {
    if (!has_small_factors(split.rest)) break;
    const Known& known = forms.known[part.known];
    const Linear rest = plus(forms, split.rest, known.form, -part.k);
    const Range own = scaled(known.range, part.k), others = range_of_atoms(forms, rest);
    const Range parts{known_range.low + own.low, known_range.high + own.high};
    const Range range{parts.low + others.low, parts.high + others.high};
    if (forms.refused || range.high - range.low >= split.range.high - split.range.low) continue;
    split.parts.push_back(part);
    split.rest = rest, split.rest_range = others, split.range = range, known_range = parts;
  }
  if (split.parts.empty()) return std::nullopt;
  return split;
}

Linear with_known_sums(Forms& forms, Linear x, std::vector<KnownPart>* used) {
  for (bool found = true; found && !forms.refused;) {
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

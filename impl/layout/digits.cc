// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/digits.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"

namespace tileproof::impl {

Numeral Digits::input(int64_t extent) {
  sources_.push_back({extent, {}, true});
  Numeral x{{}, extent};
  append(x.terms, 1, {static_cast<int32_t>(sources_.size() - 1), 1, Digit::kWhole});
  return x;
}

int64_t Digits::most(const Digit& digit) const {
  const int64_t quotient = (sources_[digit.source].extent - 1) / digit.divisor;
  return digit.modulus == Digit::kWhole ? quotient : std::min(quotient, digit.modulus - 1);
}

int64_t Digits::most(const std::vector<Numeral::Term>& terms) const {
  int64_t sum = 0;  // below the size of the numeral, so it fits
  for (const Numeral::Term& term : terms) sum += term.weight * most(term.digit);
  return sum;
}

int64_t Digits::most(const Numeral& x) const { return most(x.terms); }
// Adds a term unless its digit is always 0. Every modulus takes effect, because split makes digits
// only if the tile size cuts into the number.
void Digits::append(std::vector<Numeral::Term>& terms, int64_t weight, Digit digit) const {
  if (most(digit) > 0) terms.push_back({weight, digit});
}

Numeral Digits::combine(const Numeral& a, const Numeral& b) {
  Numeral x{{}, a.size * b.size};
  for (const Numeral::Term& term : a.terms) x.terms.push_back({term.weight * b.size, term.digit});
  for (const Numeral::Term& term : b.terms) {
    if (!x.terms.empty()) {
      // (S floordiv (m*n)) * n + (S floordiv m) mod n is S floordiv m: two digits that were split
      // apart are adjacent again.
      auto& [w, high] = x.terms.back();
      const Digit& low = term.digit;
      if (high.source == low.source && low.modulus != Digit::kWhole &&
          w == term.weight * low.modulus && high.divisor == low.divisor * low.modulus) {
        const int64_t modulus =
            high.modulus == Digit::kWhole ? Digit::kWhole : high.modulus * low.modulus;
        x.terms.back() = {term.weight, {low.source, low.divisor, modulus}};
        continue;
      }
    }
    x.terms.push_back(term);
  }
  return x;
}

std::pair<Numeral, Numeral> Digits::split(const Numeral& x, int64_t t) {
  Numeral tiles{{}, x.size / t};
  Numeral inside{{}, t};
  auto term = x.terms.begin();
  for (; term != x.terms.end() && term->weight % t == 0; ++term) {
    append(tiles.terms, term->weight / t, term->digit);
  }
  std::vector<Numeral::Term> rest(term, x.terms.end());
  if (most(rest) < t) {
    inside.terms = std::move(rest);
    return {tiles, inside};
  }
  // t cuts into `rest`. If possible, divide its first digit there.
  const auto& [w, digit] = rest.front();
  const int64_t u = t % w == 0 ? t / w : 0;  // the digit's part inside a tile is its value mod u
  const bool even = u > 0 && (digit.modulus == Digit::kWhole || digit.modulus % u == 0);
  const std::vector<Numeral::Term> later(rest.begin() + 1, rest.end());
  if (even && most(later) < w) {
    const int64_t modulus = digit.modulus == Digit::kWhole ? Digit::kWhole : digit.modulus / u;
    append(tiles.terms, 1, {digit.source, digit.divisor * u, modulus});
    append(inside.terms, w, {digit.source, digit.divisor, u});
    inside.terms.insert(inside.terms.end(), later.begin(), later.end());
    return {tiles, inside};
  }
  // Otherwise `rest` becomes a new source.
  const auto source = static_cast<int32_t>(sources_.size());
  const int64_t extent = most(rest) + 1;
  sources_.push_back({extent, {std::move(rest), extent}, false});
  append(tiles.terms, 1, {source, t, Digit::kWhole});
  append(inside.terms, 1, {source, 1, t});
  return {tiles, inside};
}

std::optional<std::vector<Numeral::Term>> Digits::of_inputs(const Numeral& x) const {
  std::vector<Numeral::Term> result;
  for (const Numeral::Term& term : x.terms) {
    const Source& source = sources_[term.digit.source];
    if (source.is_input) {
      result.push_back(term);
      continue;
    }
    // The parts of a split source may be whole again.
    if (term.digit.divisor != 1 || term.digit.modulus != Digit::kWhole) return std::nullopt;
    const std::optional<std::vector<Numeral::Term>> inner = of_inputs(source.definition);
    if (!inner) return std::nullopt;
    for (const auto& [weight, digit] : *inner) result.push_back({term.weight * weight, digit});
  }
  return result;
}

// Appends numerals to a closed form, and the sources that they read before them.
class Compiler {
 public:
  explicit Compiler(const Digits& digits) : digits_(digits) {
    for (const Digits::Source& source : digits.sources_) form_.inputs += source.is_input ? 1 : 0;
  }

  ValueId value_of(const Numeral& x) {
    std::map<std::pair<ValueId, int64_t>, int64_t> weights;  // of value floordiv divisor
    for (const auto& [w, digit] : x.terms) {
      const ValueId source = value_of_source(digit.source);
      weights[{source, digit.divisor}] += w;
      if (digit.modulus != Digit::kWhole) {
        weights[{source, digit.divisor * digit.modulus}] -= w * digit.modulus;
      }
    }
    Sum sum;
    for (const auto& [floor, weight] : weights) {
      if (weight != 0) sum.terms.push_back({floor.first, weight, Divisor(floor.second)});
    }
    return append(form_, std::move(sum));
  }

  ClosedForm& form() { return form_; }

 private:
  ValueId value_of_source(int32_t source) {
    if (digits_.sources_[source].is_input) return source;  // inputs are the first sources
    const auto [known, is_new] = sources_.try_emplace(source, 0);
    if (is_new) known->second = value_of(digits_.sources_[source].definition);
    return known->second;
  }

  const Digits& digits_;
  ClosedForm form_;
  std::map<int32_t, ValueId> sources_;
};

ClosedForm Digits::compile(const std::vector<Numeral>& outputs,
                           const std::vector<std::pair<Numeral, int64_t>>& checks) const {
  Compiler compiler(*this);
  for (const auto& [x, bound] : checks) {
    const ValueId value = compiler.value_of(x);
    compiler.form().checks.push_back({value, bound});
  }
  for (const Numeral& x : outputs) {
    const ValueId value = compiler.value_of(x);
    compiler.form().outputs.push_back(value);
  }
  return std::move(compiler.form());
}

std::string to_text(const Numeral::Term& term, std::string source, bool is_name) {
  const auto operate = [&](absl::string_view operation, int64_t by) {
    source = absl::StrCat(is_name ? source : absl::StrCat("(", source, ")"), operation, by);
    is_name = false;
  };
  if (term.digit.divisor != 1) operate(" floordiv ", term.digit.divisor);
  if (term.digit.modulus != Digit::kWhole) operate(" mod ", term.digit.modulus);
  if (term.weight != 1) operate(" * ", term.weight);
  return source;
}

std::string Digits::to_text(const Numeral& x, const std::vector<std::string>& names) const {
  std::string text;
  for (const Numeral::Term& term : x.terms) {
    const Source& source = sources_[term.digit.source];
    const std::string value =
        source.is_input ? names[term.digit.source] : to_text(source.definition, names);
    absl::StrAppend(&text, text.empty() ? "" : " + ", impl::to_text(term, value, source.is_input));
  }
  return text.empty() ? "0" : text;
}

}  // namespace tileproof::impl

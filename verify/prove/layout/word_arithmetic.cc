// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/word_arithmetic.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "absl/strings/str_cat.h"
#include "spec/base/exact_int.h"

namespace tileproof::verify {
namespace {

using impl::ValueId;
using spec::Exact;
using spec::exact;
using Fault = std::optional<WordFault>;

constexpr int kMostShift = 63;

// Returns whether every sum reads earlier values, and no shift exceeds a word.
bool is_executable(const impl::ClosedForm& form, size_t inputs) {
  auto values = static_cast<ValueId>(inputs);
  if (form.inputs != values) return false;
  const auto known = [&](ValueId id) { return id >= 0 && id < values; };
  for (const impl::Sum& sum : form.sums) {
    for (const auto& [value, weight, divisor] : sum.terms) {
      if (!known(value) || divisor.shift() < 0 || divisor.shift() > kMostShift) return false;
    }
    ++values;
  }
  return std::ranges::all_of(form.outputs, known) &&
         std::ranges::all_of(form.checks, known, &impl::Check::value);
}

// Returns whether the numbers of the divisor divide every x in [0, 2^63).
bool divides(const impl::Divisor& divisor) {
  if (divisor.value() < 1) return false;
  const spec::Wide power = spec::Wide{1} << divisor.shift();
  if (divisor.multiplier() == 0) return power == divisor.value();
  // No overflow: c < 2^63, M < 2^64 and power <= 2^63.
  const spec::Wide excess = spec::Wide{divisor.value()} * divisor.multiplier() - (power << 63);
  return 0 <= excess && excess <= power;
}

// Returns numbers of each magnitude in [0, most] that the divisor divides wrongly. The error grows
// with the number. If c*M is below 2^(63+l), numbers from a multiple of c on are wrong; if it is too
// large, numbers up to a multiple are. Some of these are padding, where a wrong quotient may not
// show, so there is a number at each distance 1, 2, 4, .. from the multiple.
std::vector<int64_t> wrongly_divided(const impl::Divisor& by, int64_t most) {
  const int64_t c = by.value();
  if (c < 1) return {};
  std::vector<int64_t> wrong;
  const auto add = [&](int64_t x) {
    if (x < 0 || x > most) return;
    const uint64_t quotient = by.quotient(static_cast<uint64_t>(x));
    if (quotient != static_cast<uint64_t>(x / c)) wrong.push_back(x);
  };
  for (int64_t x = most; x > 0; x /= 2) {
    const int64_t multiple = x - x % c;
    add(multiple);
    for (int64_t distance = 1; distance <= c / 2; distance *= 2) {
      add(multiple - distance);
      if (distance <= most - multiple) add(multiple + distance);
    }
  }
  return wrong;
}

// The bounds of a sum of weighted numbers, each in [0, most].
class Bounds {
 public:
  void add(const Exact& weight, int64_t most) {
    const Exact end = weight * exact(most);
    Exact& bound = end.value && *end.value >= 0 ? high_ : low_;
    bound = bound + end;
  }
  // The upper bound, if the sum is in [0, 2^63).
  std::optional<int64_t> most() const {
    return low_.value && *low_.value >= 0 ? to_int64(high_) : std::nullopt;
  }

 private:
  Exact low_ = exact(0), high_ = exact(0);
};

// The sum of weights[c] * (u floordiv c), where u is in [0, most].
void add_digits(const std::map<int64_t, Exact>& weights, int64_t most, Bounds& bounds) {
  Exact carried = exact(0);
  for (auto floor = weights.begin(); floor != weights.end(); ++floor) {
    const auto& [divisor, own] = *floor;
    const auto next = std::next(floor);
    const bool is_digit = next != weights.end() && next->first % divisor == 0;
    const int64_t n = is_digit ? next->first / divisor : 0;
    const int64_t quotient = most / divisor;
    bounds.add(own + carried, is_digit ? std::min(n - 1, quotient) : quotient);
    carried = (own + carried) * exact(n);
  }
}

// The greatest values of the inputs, and then of the sums so far: all are at least 0.
using Greatest = std::vector<int64_t>;

// Inputs that may make a quotient by this divisor wrong.
WordFault wrong_division(const impl::Sum::Term& term, size_t inputs, const Greatest& greatest) {
  const impl::Divisor& by = term.divisor;
  WordFault fault{absl::StrCat("multiplier ", by.multiplier(), " and shift ", by.shift(),
                               " do not divide by ", by.value())};
  if (static_cast<size_t>(term.value) >= inputs) return fault;
  for (const int64_t x : wrongly_divided(by, greatest[term.value])) {
    fault.suspects.emplace_back(inputs, 0);
    fault.suspects.back()[term.value] = x;
  }
  return fault;
}

// Appends the greatest value of the sum.
Fault add_sum(const impl::Sum& sum, size_t inputs, Greatest& greatest) {
  std::map<ValueId, std::map<int64_t, Exact>> weights;  // of value floordiv divisor
  for (const impl::Sum::Term& term : sum.terms) {
    if (!divides(term.divisor)) return wrong_division(term, inputs, greatest);
    Exact& weight = weights[term.value].try_emplace(term.divisor.value(), exact(0)).first->second;
    weight = weight + exact(term.weight);
  }
  Bounds bounds;
  for (const auto& [value, of_value] : weights) add_digits(of_value, greatest[value], bounds);
  const std::optional<int64_t> most = bounds.most();
  const auto first_sum = greatest.begin() + static_cast<ptrdiff_t>(inputs);
  if (!most)
    return WordFault{"the sum may leave [0, 2^63)", {Greatest(greatest.begin(), first_sum)}};
  greatest.push_back(*most);
  return std::nullopt;
}

}  // namespace

Fault word_fault(const impl::ClosedForm& form, absl::Span<const int64_t> sizes) {
  if (!is_executable(form, sizes.size())) return WordFault{"the closed form cannot be executed"};
  Greatest greatest;
  for (const int64_t size : sizes) greatest.push_back(size - 1);
  for (size_t i = 0; i < form.sums.size(); ++i) {
    Fault fault = add_sum(form.sums[i], sizes.size(), greatest);
    if (!fault) continue;
    fault->what = absl::StrCat("sum ", i, ": ", fault->what);
    return fault;
  }
  for (const impl::Check& check : form.checks) {
    if (check.bound < 0) return WordFault{"a check has a negative bound"};
  }
  return std::nullopt;
}

}  // namespace tileproof::verify

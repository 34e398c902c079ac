// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/word_arithmetic.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "spec/base/exact_int.h"
#include "spec/lang/base/checked_arithmetic.h"

namespace tileproof::verify {
namespace {

using impl::ValueId;
using spec::Exact;
using spec::exact;
using Fault = std::optional<WordFault>;

constexpr int kMostShift = 63;

// Returns whether every operation reads earlier values, and no shift exceeds a word.
bool is_executable(const impl::ClosedForm& form, size_t inputs) {
  auto values = static_cast<ValueId>(inputs);
  if (form.inputs != values) return false;
  const auto known = [&](ValueId id) { return id >= 0 && id < values; };
  for (const auto& operation : form.operations) {
    if (const auto* floor = std::get_if<impl::Floor>(&operation)) {
      const int shift = floor->divisor.shift();
      if (!known(floor->operand) || shift < 0 || shift > kMostShift) return false;
    } else {
      for (const impl::Sum::Term& term : std::get<impl::Sum>(operation).terms) {
        if (!known(term.value)) return false;
      }
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

// Walks through the operations and knows the bounds of all values so far.
class Walk {
 public:
  explicit Walk(absl::Span<const int64_t> sizes) : inputs_(sizes.size()) {
    for (int64_t size : sizes) append(size - 1);
  }

  Fault operator()(const impl::Floor& floor) {
    const impl::Divisor& by = floor.divisor;
    const Value operand = values_[floor.operand];
    if (!divides(by)) {
      WordFault fault{absl::StrCat("multiplier ", by.multiplier(), " and shift ", by.shift(),
                                   " do not divide by ", by.value())};
      if (static_cast<size_t>(operand.u) < inputs_) {
        for (int64_t x : wrongly_divided(by, operand.most))
          fault.suspects.push_back(only_input(operand.u, x * operand.divisor));
      }
      return fault;
    }
    // A floor of a floor is a floor of u (lemma nested-floor).
    const int64_t most = operand.most / by.value();
    const std::optional<int64_t> divisor = checked_mul(operand.divisor, by.value());
    if (divisor) {
      values_.push_back({operand.u, *divisor, most});
    } else {
      append(most);
    }
    return std::nullopt;
  }

  Fault operator()(const impl::Sum& sum) {
    std::map<ValueId, std::map<int64_t, Exact>> weights;  // of u floordiv divisor
    for (const impl::Sum::Term& term : sum.terms) {
      const Value& value = values_[term.value];
      Exact& weight = weights[value.u].try_emplace(value.divisor, exact(0)).first->second;
      weight = weight + exact(term.weight);
    }
    Bounds bounds;
    for (const auto& [u, floors] : weights) add_digits(floors, values_[u].most, bounds);
    const std::optional<int64_t> most = bounds.most();
    if (!most) return WordFault{"the sum may leave [0, 2^63)", {largest_inputs()}};
    append(*most);
    return std::nullopt;
  }

 private:
  // The value u floordiv divisor, where u is an input or a sum. It is in [0, most].
  struct Value {
    ValueId u;
    int64_t divisor;
    int64_t most;
  };

  void append(int64_t most) { values_.push_back({static_cast<ValueId>(values_.size()), 1, most}); }

  std::vector<int64_t> only_input(ValueId u, int64_t value) const {
    std::vector<int64_t> inputs(inputs_, 0);
    inputs[u] = value;
    return inputs;
  }

  std::vector<int64_t> largest_inputs() const {
    std::vector<int64_t> inputs;
    for (size_t i = 0; i < inputs_; ++i) inputs.push_back(values_[i].most);
    return inputs;
  }

  size_t inputs_;
  std::vector<Value> values_;
};

}  // namespace

Fault word_fault(const impl::ClosedForm& form, absl::Span<const int64_t> sizes) {
  if (!is_executable(form, sizes.size())) return WordFault{"the closed form cannot be executed"};
  Walk walk(sizes);
  for (size_t i = 0; i < form.operations.size(); ++i) {
    Fault fault = std::visit(walk, form.operations[i]);
    if (!fault) continue;
    fault->what = absl::StrCat("operation ", i, ": ", fault->what);
    return fault;
  }
  for (const impl::Check& check : form.checks) {
    if (check.bound < 0) return WordFault{"a check has a negative bound"};
  }
  return std::nullopt;
}

}  // namespace tileproof::verify

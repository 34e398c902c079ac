// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/bit_form.h"

#include <bit>
#include <utility>

namespace tileproof::impl {
namespace {

constexpr int kBits = 63;  // of every value; bit 63 stays 0

// Set bits of a mask that lie side by side: `count` of them from `position` on. `skipped` set bits
// are below.
struct Run {
  int position, count, skipped;
};

std::vector<Run> runs_of(uint64_t mask) {
  std::vector<Run> runs;
  int skipped = 0;
  for (int position = 0; position < kBits;) {
    const int zeros = std::countr_zero(mask >> position);
    if (mask >> position == 0) break;
    position += zeros;
    const int count = std::countr_one(mask >> position);
    runs.push_back({position, count, skipped});
    skipped += count;
    position += count;
  }
  return runs;
}

uint64_t mask_of(int position, int count) {
  const uint64_t ones = count >= kBits ? ~uint64_t{0} >> 1 : (uint64_t{1} << count) - 1;
  return (ones << position) & (~uint64_t{0} >> 1);
}

// The bits of a digit: in its source from `skipped` on, in the sum from `position` on. Nothing if one
// of its numbers is no power of two.
std::optional<Run> run_of(const Numeral::Term& term) {
  const auto& [weight, digit] = term;
  const bool is_whole = digit.modulus == Digit::kWhole;
  const auto is_power = [](int64_t x) { return std::has_single_bit(static_cast<uint64_t>(x)); };
  const auto log2 = [](int64_t x) { return std::countr_zero(static_cast<uint64_t>(x)); };
  if (!is_power(weight) || !is_power(digit.divisor)) return std::nullopt;
  if (!is_whole && !is_power(digit.modulus)) return std::nullopt;
  return Run{log2(weight), is_whole ? kBits : log2(digit.modulus), log2(digit.divisor)};
}

// The digits of one source, by falling weight, fill the result from its lowest bit on.
std::optional<uint64_t> extract_mask(const std::vector<Numeral::Term>& digits) {
  uint64_t mask = 0;
  int placed = 0;  // bits of the result
  for (auto term = digits.rbegin(); term != digits.rend(); ++term) {
    const std::optional<Run> run = run_of(*term);
    if (!run || run->position != placed || run->skipped < static_cast<int>(std::bit_width(mask)))
      return std::nullopt;
    mask |= mask_of(run->skipped, run->count);
    placed += run->count;
  }
  return mask;
}

// Adds weight * (input floordiv 2^shift).
void add(Sum& sum, ValueId input, int shift, int64_t weight) {
  if (shift >= kBits) return;  // of a value below 2^63
  sum.terms.push_back({input, weight, Divisor(int64_t{1} << shift)});
}

void add_deposited(Sum& sum, ValueId input, uint64_t mask) {
  for (const Run& run : runs_of(mask)) {
    add(sum, input, run.skipped, int64_t{1} << run.position);
    if (run.position + run.count < kBits)
      add(sum, input, run.skipped + run.count, -(int64_t{1} << (run.position + run.count)));
  }
}

// The bits of the only input that an extract takes.
Sum extracted(uint64_t mask) {
  Sum sum;
  for (const Run& run : runs_of(mask)) {
    add(sum, 0, run.position, int64_t{1} << run.skipped);
    if (run.position + run.count < kBits)
      add(sum, 0, run.position + run.count, -(int64_t{1} << (run.skipped + run.count)));
  }
  return sum;
}

}  // namespace

bool has_bit_moves() {
#ifdef __x86_64__
  static const bool has = __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") &&
                          !__builtin_cpu_is("znver2");  // where they are slow
  return has;
#else
  return false;
#endif
}

std::optional<DepositForm> DepositForm::of(const std::vector<Numeral::Term>& digits,
                                           size_t inputs) {
  if (!has_bit_moves() || inputs > kMostInputs) return std::nullopt;
  DepositForm form;
  form.inputs_ = inputs;
  std::array<int, kMostInputs> taken = {};  // bits of each input
  for (auto term = digits.rbegin(); term != digits.rend(); ++term) {
    const std::optional<Run> run = run_of(*term);
    const auto input = static_cast<size_t>(term->digit.source);
    if (!run || run->skipped != taken[input]) return std::nullopt;
    form.masks_[input] |= mask_of(run->position, run->count);
    taken[input] += run->count;
  }
  return form;
}

ClosedForm DepositForm::closed_form() const {
  ClosedForm form;
  form.inputs = static_cast<int32_t>(inputs_);
  Sum sum;
  for (size_t i = 0; i < inputs_; ++i) add_deposited(sum, static_cast<ValueId>(i), masks_[i]);
  form.outputs = {append(form, std::move(sum))};
  return form;
}

std::optional<ExtractForm> ExtractForm::of(const Digits& digits,
                                           const std::vector<Numeral>& outputs,
                                           const std::vector<std::pair<Numeral, int64_t>>& checks) {
  if (!has_bit_moves()) return std::nullopt;
  ExtractForm form;
  const auto mask_of_numeral = [&digits](const Numeral& x) {
    const std::optional<std::vector<Numeral::Term>> terms = digits.of_inputs(x);
    return terms ? extract_mask(*terms) : std::nullopt;
  };
  for (const Numeral& output : outputs) {
    const std::optional<uint64_t> mask = mask_of_numeral(output);
    if (!mask) return std::nullopt;
    form.masks_.push_back(*mask);
  }
  for (const auto& [x, bound] : checks) {
    const std::optional<uint64_t> mask = mask_of_numeral(x);
    if (!mask) return std::nullopt;
    form.checks_.push_back({*mask, static_cast<uint64_t>(bound)});
  }
  return form;
}

ClosedForm ExtractForm::closed_form() const {
  ClosedForm form;
  form.inputs = 1;
  for (const auto& [mask, bound] : checks_)
    form.checks.push_back({append(form, extracted(mask)), static_cast<int64_t>(bound)});
  for (const uint64_t mask : masks_) form.outputs.push_back(append(form, extracted(mask)));
  return form;
}

}  // namespace tileproof::impl

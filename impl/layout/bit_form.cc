// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/bit_form.h"

#include <bit>
#include <map>
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

// The sum of terms of one input as weights of bits: between two shifts, each unit of x >> shift
// has the same weight. By shift, the lowest first; nothing if a divisor is no power of two.
std::optional<std::map<int, uint64_t>> weights_of(const Sum& sum) {
  std::map<int, uint64_t> by_shift;
  for (const Sum::Term& term : sum.terms) {
    if (term.divisor.multiplier() != 0) return std::nullopt;
    by_shift[term.divisor.shift()] += static_cast<uint64_t>(term.weight);
  }
  uint64_t carried = 0;
  int last = 0;
  for (auto& [shift, weight] : by_shift) {
    carried = (carried << (shift - last)) + weight;
    weight = carried;
    last = shift;
  }
  return by_shift;
}

// Where a digit of these weights ends: at the next shift, or with the value.
int end_of(const std::map<int, uint64_t>& weights, std::map<int, uint64_t>::const_iterator at) {
  const auto next = std::next(at);
  return next == weights.end() ? kBits : next->first;
}

std::optional<uint64_t> deposit_mask(const Sum& sum) {
  const auto weights = weights_of(sum);
  if (!weights) return std::nullopt;
  uint64_t mask = 0;
  int taken = 0;  // bits of x
  for (auto at = weights->begin(); at != weights->end(); ++at) {
    const auto& [shift, weight] = *at;
    if (shift != taken || !std::has_single_bit(weight)) return std::nullopt;
    const int position = std::countr_zero(weight);
    if (position < static_cast<int>(std::bit_width(mask))) return std::nullopt;
    const bool is_last = std::next(at) == weights->end();
    const int count = is_last ? kBits - position : end_of(*weights, at) - shift;
    if (position + count > kBits) return std::nullopt;
    mask |= mask_of(position, count);
    taken += count;
  }
  return mask;
}

std::optional<uint64_t> extract_mask(const Sum& sum) {
  const auto weights = weights_of(sum);
  if (!weights) return std::nullopt;
  uint64_t mask = 0;
  int placed = 0;  // bits of the result
  for (auto at = weights->begin(); at != weights->end(); ++at) {
    const auto& [shift, weight] = *at;
    if (weight == 0) continue;
    if (placed >= kBits || weight != uint64_t{1} << placed) return std::nullopt;
    const int count = end_of(*weights, at) - shift;
    mask |= mask_of(shift, count);
    placed += count;
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

std::optional<DepositForm> DepositForm::of(const ClosedForm& form) {
  if (!has_bit_moves() || form.outputs.size() != 1 || !form.checks.empty()) return std::nullopt;
  if (static_cast<size_t>(form.inputs) > kMostInputs) return std::nullopt;
  const std::optional<Sum> sum = sum_of_inputs(form, form.outputs[0]);
  if (!sum) return std::nullopt;
  DepositForm result;
  for (ValueId input = 0; input < form.inputs; ++input) {
    Sum own;
    for (const Sum::Term& term : sum->terms) {
      if (term.value == input) own.terms.push_back(term);
    }
    const std::optional<uint64_t> mask = own.terms.empty() ? uint64_t{0} : deposit_mask(own);
    if (!mask) return std::nullopt;
    result.masks_[result.inputs_++] = *mask;
  }
  return result;
}

ClosedForm DepositForm::closed_form() const {
  ClosedForm form;
  form.inputs = static_cast<int32_t>(inputs_);
  Sum sum;
  for (size_t i = 0; i < inputs_; ++i) add_deposited(sum, static_cast<ValueId>(i), masks_[i]);
  form.outputs = {append(form, std::move(sum))};
  return form;
}

std::optional<ExtractForm> ExtractForm::of(const ClosedForm& form) {
  if (!has_bit_moves() || form.inputs != 1) return std::nullopt;
  ExtractForm result;
  const auto mask_of_value = [&form](ValueId value) {
    const std::optional<Sum> sum = sum_of_inputs(form, value);
    return sum ? extract_mask(*sum) : std::nullopt;
  };
  for (const ValueId output : form.outputs) {
    const std::optional<uint64_t> mask = mask_of_value(output);
    if (!mask) return std::nullopt;
    result.masks_.push_back(*mask);
  }
  for (const Check& check : form.checks) {
    const std::optional<uint64_t> mask = mask_of_value(check.value);
    if (!mask) return std::nullopt;
    result.checks_.push_back({*mask, static_cast<uint64_t>(check.bound)});
  }
  return result;
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

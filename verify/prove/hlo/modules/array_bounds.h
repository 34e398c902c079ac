// SPDX-License-Identifier: Apache-2.0
// Between which numbers all elements of an array are, at any index and on any device, however they are
// rounded, if the floating-point elements of parameters are in [-2, 2].
//
//     p = f32[8] parameter(0)      [-2, 2]
//     e = f32[8] exponential(p)    [0.13, 7.4]
//     s = f32[] reduce(e, 0)       [0, 59.2]
//
// So a product with 0 is 0, and the other factor need not be computed. Nothing is known of integers, of loops
// and of what may be infinite or no number. And which parameters are factors of long sums: if most of their
// elements are 0, an element of a large result is computed from few others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/operands_first.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

// "p0", or "p0.1" for another leaf than the first.
std::string parameter_name(int64_t number, int64_t leaf);

// Of a walk on numbers (verify/prove/hlo/modules/element_walk.h).
template <class Walk>
class ArrayBounds {
 public:
  using Array = typename Walk::Array;
  // Both must outlive this object.
  ArrayBounds(Walk& walk, const Point& point) : walk_(walk), point_(point) {}

  bool are_known(const Array& array) { return is_finite(look_at(array).value); }
  // Whether its elements are moved from parameters.
  bool is_given(const Array& array) { return look_at(array).is_given; }
  // By the name of a parameter: of how many products one is its own. Of what was looked at.
  const std::map<std::string, int64_t>& factors() const { return factors_; }

 private:
  using How = typename Walk::Made::How;
  static constexpr size_t kMostArrays = 1 << 16;
  struct Known {
    PointValue value;
    bool is_given = false;
  };

  // Not known, too, if it depends on too many others, as in the rounds of a long loop.
  const Known& look_at(const Array& array) {
    operands_first(
        array, [&](const Array& at) { return walk_.made(at).of; },
        [&](const Array& at) { return known_.contains(at); },
        [&](const Array& at) {
          known_.emplace(at, Known{computed(at), is_moved_from_parameters(at)});
        },
        [&] { return known_.size() < kMostArrays; });
    return known_.try_emplace(array).first->second;
  }

  bool is_entry_parameter(const Array& array) const {
    return walk_.at(array).opcode == HloOpcode::kParameter && array.frame->caller == nullptr;
  }
  bool is_moved_from_parameters(const Array& array) {
    if (is_entry_parameter(array)) return true;
    const auto made = walk_.made(array);
    const auto is_known_given = [&](const Array& one) { return known_.at(one).is_given; };
    return (made.how == How::kMoved || is_sent(array)) && !made.of.empty() &&
           std::ranges::all_of(made.of, is_known_given);
  }
  // By a collective that adds nothing.
  bool is_sent(const Array& array) {
    const auto* step = walk_.step_of(array);
    return step != nullptr && walk_.is_exchanged(array, *step) &&
           find_attribute(walk_.at(array).attributes, "to_apply") == nullptr;
  }

  // Of two factors, the one that is a parameter; of two, the larger one.
  void note_factor(const std::vector<Array>& of, int64_t count) {
    const bool is_first = known_.at(of[0]).is_given, is_second = known_.at(of[1]).is_given;
    if (!is_first && !is_second) return;
    const auto size = [&](size_t k) { return element_count(walk_.dims(of[k])).value_or(0); };
    Array from = of[is_second && (!is_first || size(1) >= size(0)) ? 1 : 0];
    while (!is_entry_parameter(from)) from = walk_.made(from).of[0];
    int64_t& most = factors_[parameter_name(walk_.at(from).parameter_number, from.leaf)];
    most = std::max(most, count);
  }

  static PointValue between(double low, double high) { return {true, false, 0, low, high}; }
  static bool is_finite(const PointValue& value) {
    return value.is_known && std::isfinite(value.low) && std::isfinite(value.high);
  }

  // All that one of the arrays holds that are of this type, and zero where nothing is received.
  PointValue any_of(const std::vector<Array>& arrays, ElementType type, bool may_be_zero) {
    std::vector<PointValue> all;
    if (may_be_zero) all.push_back(between(0, 0));
    for (const Array& one : arrays) {
      if (walk_.type(one) == type) all.push_back(known_.at(one).value);
    }
    if (all.empty() || !std::ranges::all_of(all, &PointValue::is_known)) return {};
    return between(std::ranges::min(all, {}, &PointValue::low).low,
                   std::ranges::max(all, {}, &PointValue::high).high);
  }

  PointValue computed(const Array& array) {
    const ElementType type = walk_.type(array);
    if (!spec::float_format(type)) return {};
    const HloInstruction& i = walk_.at(array);
    if (is_entry_parameter(array)) return between(-2, 2);
    const bool is_parameter = i.opcode == HloOpcode::kParameter;
    const auto made = walk_.made(array);
    const auto* step = is_parameter ? nullptr : walk_.step_of(array);
    if (step == nullptr || step->relation.callee) return any_of(made.of, type, false);
    if (made.how == How::kLoop || !step->relation.branches.empty()) return {};
    const spec::Meaning& meaning = step->meaning;
    if (walk_.is_exchanged(array, *step)) {
      if (is_sent(array)) return any_of(made.of, type, true);
      const auto sum = spec::bag_symbol(walk_.module_, i, type);
      const int64_t devices = *walk_.devices_->counts.devices();
      return sum ? reduced(*sum, devices, any_of(made.of, type, false)) : PointValue();
    }
    switch (meaning.rule) {
      case spec::Rule::kMove:
      case spec::Rule::kRead:
        return any_of(made.of, type, false);
      case spec::Rule::kSelect:
        return any_of({made.of.begin() + 1, made.of.end()}, type, false);
      case spec::Rule::kSource:
        return source(array, *step);
      case spec::Rule::kApply:
        return applied(meaning.symbol, made.of);
      case spec::Rule::kBag:
        return bag(*step, made.of);
      default:
        return {};
    }
  }

  PointValue source(const Array& array, const typename Walk::Step& step) {
    const HloInstruction& i = walk_.at(array);
    const auto* literal =
        i.opcode == HloOpcode::kConstant ? walk_.literal_of(array, step) : nullptr;
    if (literal == nullptr || literal->floats.empty()) return {};
    const auto [low, high] = std::ranges::minmax(literal->floats);
    const auto is_number = [](double x) { return !std::isnan(x); };
    return std::ranges::all_of(literal->floats, is_number) ? between(low, high) : PointValue();
  }

  PointValue applied(const spec::Symbol& f, const std::vector<Array>& of) {
    if (f.opcode == HloOpcode::kConvert && spec::is_integer(f.from)) {
      const double most = std::ldexp(1, info(f.from).bits);
      return most < spec::float_format(f.type)->largest ? between(-most, most) : PointValue();
    }
    std::vector<PointValue> values;
    for (const Array& one : of) values.push_back(known_.at(one).value);
    if (!std::ranges::all_of(values, is_finite)) return {};
    if (f.opcode == HloOpcode::kMultiply && of.size() == 2 && of[0] == of[1]) {
      const double most = std::max(std::abs(values[0].low), std::abs(values[0].high));
      values = {between(0, most), between(0, most)};
    }
    return point_.applied(f, values);
  }

  PointValue bag(const typename Walk::Step& step, const std::vector<Array>& of) {
    const spec::Symbol& f = step.meaning.symbol;
    const auto count = element_count(step.relation.dependences[0].ranges);
    if (!count || of.empty()) return {};
    const PointValue &one = known_.at(of[0]).value, &last = known_.at(of.back()).value;
    if (f.group == 1 && one.is_known && last.is_known && *count > 0) {
      if (f.opcode == HloOpcode::kMaximum)
        return between(std::max(one.low, last.low), std::max(one.high, last.high));
      if (f.opcode == HloOpcode::kMinimum)
        return between(std::min(one.low, last.low), std::min(one.high, last.high));
    }
    if (f.group == 1) return reduced(f, *count, any_of(of, f.type, false));
    if (of.size() != 2) return {};
    note_factor(of, *count);
    spec::Symbol product = f;
    product.opcode = HloOpcode::kMultiply;
    product.from = f.type;
    return reduced(f, *count, applied(product, of));
  }

  // Of at most so many numbers, and of what it starts from.
  static PointValue reduced(const spec::Symbol& f, int64_t count, const PointValue& one) {
    if (!is_finite(one)) return {};
    if (f.opcode == HloOpcode::kMaximum || f.opcode == HloOpcode::kMinimum) return one;
    if (f.opcode != HloOpcode::kAdd) return {};
    const spec::FloatFormat format = *spec::float_format(f.type);
    const double terms = static_cast<double>(count) + 1;
    const double most = terms * (1 + terms * std::ldexp(1.0, 2 - format.significand));
    const PointValue sum = between(std::min(one.low, 0.0) * most, std::max(one.high, 0.0) * most);
    return sum.low > -format.largest && sum.high < format.largest ? sum : PointValue();
  }

  Walk& walk_;
  const Point& point_;
  absl::flat_hash_map<Array, Known> known_;
  std::map<std::string, int64_t> factors_;
};

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// The steps of a way back from an element, where indexes are numbers: what an instruction makes it of.
//
//     r = f32[2] add(x, y)                  r[1]: of x[1] and y[1]
//     s = f32[2] dynamic-slice(x, i)        s[1]: x[i + 1], because of the offset i
//     c = f32[2] select(p, x, y)            c[1]: x[1] or y[1], because of p[1]
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "spec/hlo/access_relation.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/odometer.h"
#include "verify/prove/hlo/modules/element_walk.h"

namespace tileproof::verify {

// Of a walk on numbers (verify/prove/hlo/modules/element_walk.h), which must outlive this object.
template <class Walk>
class PathSteps {
 public:
  using N = typename Walk::N;
  using Index = typename Walk::Index;
  using Array = typename Walk::Array;
  using Place = typename Walk::Place;
  using Step = typename Walk::Step;
  using Point = typename Walk::Point;

  explicit PathSteps(Walk& walk) : walk_(walk), domain_(walk.domain_) {}

  const HloInstruction& instruction(const Place& place) const { return walk_.at(place.array); }
  // Nothing if the module runs on one.
  std::optional<int64_t> device(const Place& place) const {
    return walk_.devices_ == nullptr ? std::nullopt : std::optional(place.array.frame->device);
  }
  // The operand that a select chooses, if that is known.
  std::optional<Place> chosen(const Place& place) {
    const Step* step = walk_.step_of(place.array);
    if (step == nullptr || !walk_.is_plain(*step) || step->meaning.rule != spec::Rule::kSelect) {
      return std::nullopt;
    }
    std::vector<Place> all = operands(place);
    const auto predicate = all.size() == 3 ? walk_.term(all[0]) : std::nullopt;
    if (!predicate) return std::nullopt;
    const auto which = domain_.number_of(*predicate);
    return which ? std::optional(std::move(all[*which != 0 ? 1 : 2])) : std::nullopt;
  }

  // The arrays from which an instruction that moves an element could have moved another: all of them, on
  // all devices, or those that a select did not choose.
  std::vector<Array> sources(const Place& place) {
    std::vector<Array> all;
    const Step* step = walk_.step_of(place.array);
    const auto choice = chosen(place);
    if (step == nullptr || step->relation.callee || (!choice && !walk_.moved_from(place)))
      return all;
    std::set<std::pair<int64_t, int64_t>> operands;
    for (const spec::Dependence& one : step->relation.dependences) {
      const bool is_offset =
          choice ? one.operand == 0 ||
                       walk_.operand(place.array, one.operand, one.leaf) == choice->array
                 : step->meaning.rule == spec::Rule::kRead && one.operand >= step->meaning.arrays;
      if (!is_offset) operands.emplace(one.operand, one.leaf);
    }
    for (const auto& [number, leaf] : operands) {
      const Array one = walk_.operand(place.array, number, leaf);
      const auto there = is_exchange(place) ? on_all_devices(one) : std::vector<Array>{one};
      all.insert(all.end(), there.begin(), there.end());
    }
    return all;
  }
  // The same array on each device.
  std::vector<Array> on_all_devices(const Array& array) {
    std::vector<Array> all;
    const int64_t count = walk_.devices_ == nullptr ? 1 : *walk_.devices_->counts.devices();
    for (int64_t v = 0; v < count; ++v) all.push_back(walk_.on_device(array, v));
    return all;
  }
  bool is_exchange(const Place& place) {
    const Step* step = walk_.step_of(place.array);
    return step != nullptr && walk_.is_exchanged(place.array, *step);
  }

  // The elements of offsets, or the predicate, that say where an operation has the element from.
  std::vector<Place> offsets(const Place& place) {
    const Step* step = walk_.step_of(place.array);
    std::vector<Place> all;
    if (chosen(place)) return {operands(place)[0]};
    if (step == nullptr || !walk_.is_plain(*step) || step->meaning.rule != spec::Rule::kRead)
      return all;
    const Point point{place.index, {}, {}};
    for (const spec::RuntimeVariable& variable : step->relation.runtime) {
      all.push_back({walk_.operand(place.array, variable.operand, 0),
                     spec::reach(variable.element, point).index});
    }
    return all;
  }

  // Whether a product is zero because of the first factor that is looked at (is_looked_at_first).
  bool is_zero_product(const Place& a, const Place& b) {
    const bool is_turned = walk_.reductions_->is_looked_at_first(b.array);
    if (!is_turned && !walk_.reductions_->is_looked_at_first(a.array)) return false;
    const auto first = walk_.term(is_turned ? b : a);
    return first && walk_.reductions_->makes_zero(*first, (is_turned ? a : b).array);
  }

  // What an elementwise operation or a reduction computes the element of.
  std::vector<Place> operands(const Place& place) {
    const Step* step = walk_.step_of(place.array);
    std::vector<Place> all;
    if (step != nullptr && walk_.is_exchanged(place.array, *step)) {
      auto received = walk_.exchanges_->received_by(place.array, *step, place.index);
      return received && received->is_bag ? std::move(received->from) : all;
    }
    if (step == nullptr || !walk_.is_plain(*step)) return all;
    const spec::Rule rule = step->meaning.rule;
    const bool computes = rule == spec::Rule::kApply || rule == spec::Rule::kSelect;
    if (!computes && rule != spec::Rule::kBag) return all;
    for (const spec::Dependence& one : step->relation.dependences) {
      Point point{place.index, Index(one.ranges.size(), 0), {}};
      if (std::ranges::count(one.ranges, 0) > 0) continue;
      do {
        spec::AccessedElement<N> reached = spec::reach(one, point);
        if (domain_.known(reached.in_domain) != true) continue;
        all.push_back(
            {walk_.operand(place.array, one.operand, one.leaf), std::move(reached.index)});
      } while (next_index(one.ranges, point.s));
    }
    return all;
  }

 private:
  Walk& walk_;
  typename Walk::DomainType& domain_;
};

}  // namespace tileproof::verify

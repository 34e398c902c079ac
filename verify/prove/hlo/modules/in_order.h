// SPDX-License-Identifier: Apache-2.0
// What is made of elements one after another, as the definition has it: folds, scatters and sorts.
//
//     reduce(x), f           f(f(init, x[0]), x[1])     a fold by a computation that is no single operation
//     scatter(a, at, u), f   f(a[i], u[0]) at i         of the updates that land on an element
//     sort(x), f             a line, and f of two of its elements
//
// Each point says what it adds only where it exists. What adds in any order is in
// verify/prove/hlo/modules/reductions.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "verify/prove/hlo/modules/nested_folds.h"
#include "verify/prove/hlo/modules/reductions.h"

namespace tileproof::verify {

// Of a walk (verify/prove/hlo/modules/element_walk.h).
template <class Walk>
class InOrder {
 public:
  using N = typename Walk::N;
  using Index = typename Walk::Index;
  using Array = typename Walk::Array;
  using Step = typename Walk::Step;
  using Point = typename Walk::Point;
  using TermId = spec::TermId;

  explicit InOrder(Walk& walk) : walk_(walk), domain_(walk.domain_), folds_(walk) {}

  // ---- Folds ----

  // Whether it is a reduction by a computation that is no single operation.
  bool is_folded(const Array& array, const Step& step) const {
    return step.meaning.rule == spec::Rule::kFold && !step.relation.loop &&
           !walk_.is_exchanged(array, step) &&
           !spec::reducer_of_leaf(walk_.module_, walk_.at(array), array.leaf, step.type);
  }
  std::vector<TermId> inits_of(const Array& array, const Step& step, const Index& index,
                               int64_t level) {
    const auto& dependences = step.relation.dependences;  // an array and its init, again and again
    std::vector<TermId> inits;
    for (size_t k = 1; k < dependences.size(); k += 2) {
      if (!dependences[k].ranges.empty()) {
        inits.push_back(walk_.give_up());
        continue;
      }
      inits.push_back(
          walk_.element(walk_.operand(array, dependences[k].operand, dependences[k].leaf),
                        spec::reach(dependences[k], Point{index, {}, {}}).index, level));
    }
    return inits;
  }

  // As the definition has it, from first to last.
  TermId folded(const Array& array, const Step& step, const Index& index, int64_t level) {
    const std::vector<TermId> inits = inits_of(array, step, index, level);
    spec::Terms& terms = domain_.terms();
    const TermId counts =
        terms.opaque(terms.symbol({.text = "padding counts", .type = ElementType::kPred}), 0, {});
    using Fold = typename NestedFolds<Walk>::Fold;
    const Fold outer{{array.frame, array.instruction, 0}, &step, index};
    std::vector<Dims> nested = {outer.ranges()};
    if constexpr (Walk::kIsAnyIndex) nested = folds_.ranges_of(outer, inits, level);
    Dims ranges;
    for (const Dims& one : nested) ranges.insert(ranges.end(), one.begin(), one.end());
    const auto next = [&](const std::vector<TermId>& state, const Index& points) {
      Fold one = outer;
      auto s = points.begin();
      for (size_t k = 0; k + 1 < nested.size(); s += std::ssize(nested[k]), ++k) {
        auto inner = folds_.at(one, Index(s, s + std::ssize(nested[k])));
        if (!inner) return std::vector{walk_.give_up()};
        one = *std::move(inner);
      }
      return after_point(one, state, inits, Index(s, points.end()), counts, level);
    };
    return domain_.fold(step.type, ranges, level, inits, static_cast<size_t>(array.leaf), next);
  }

  // ---- Scatters ----

  // The windows of a scatter, and the update of one that lands on an element.
  static Dims windows_of(const Step& step) {
    const op::IndexedWindows& t = std::get<op::Scatter>(step.relation.dependences[1].access).table;
    Dims windows;
    for (const int64_t d : t.batch_dims) windows.push_back(t.windows[d]);
    return windows;
  }
  BagPoint<N> update_at(const Array& array, const Step& step, const Index& index, const Index& s,
                        int64_t level) {
    const spec::Dependence& of = step.relation.dependences[1];
    const op::IndexedWindows& t = std::get<op::Scatter>(of.access).table;
    Point update{index, Index(t.windows.size(), 0), {}};
    for (size_t k = 0; k < s.size(); ++k) update.s[t.batch_dims[k]] = s[k];
    if (!walk_.set_offsets(array, step, update, level + 1)) return {false};
    const Index start = spec::array_element(t, update.s, update.rt);
    BagPoint<N> added{true};
    for (size_t k = 0; k < t.kept.size(); ++k) {
      N& in_window = update.s[t.window_dims[k]];
      in_window = spec::minus(index[t.kept[k]], start[t.kept[k]]);
      added.exists = added.exists && spec::inside(in_window, t.windows[t.window_dims[k]]);
    }
    spec::AccessedElement<N> reached = spec::reach(of, update);
    added.exists = added.exists && reached.in_domain;
    if (domain_.known(added.exists) == false) return added;
    added.factors.push_back(
        walk_.element(walk_.operand(array, 2, 0), std::move(reached.index), level + 1));
    return added;
  }
  // The element of the array, and those of the updates that land on it, by a computation that is no single
  // operation: of each window, one may.
  TermId scattered(const Array& array, const Step& step, const Index& index, int64_t level) {
    Dims ranges = windows_of(step);
    std::function<BagPoint<N>(const Index&)> at = [&](const Index& s) {
      return update_at(array, step, index, s, level);
    };
    if constexpr (Walk::kIsAnyIndex) {
      while (std::ranges::count(ranges, 0) == 0) {
        auto only = domain_.only_steps(ranges, level, at);
        if (!only) break;
        ranges = std::move(only->ranges);
        at = std::move(only->at);
      }
    }
    const auto next = [&](const std::vector<TermId>& state, const Index& s) {
      const BagPoint<N> added = at(s);
      if (domain_.has_failed() || domain_.known(added.exists) == false) return state;
      const TermId one = walk_.applied(array, "to_apply", {state[0], added.factors.at(0)});
      return std::vector{domain_.select(step.type, added.exists, one, state[0])};
    };
    return domain_.fold(step.type, ranges, level,
                        {walk_.element(walk_.operand(array, 0, 0), index, level)}, 0, next);
  }

  // The updates are those of the windows that the element lies in, in the order of the source.
  TermId scattered_to_selected(const Array& array, const Step& step, const Index& index,
                               int64_t level) {
    const spec::Dependence& source = step.relation.dependences[1];
    const Dims& taps = source.ranges;
    std::vector<std::pair<TermId, TermId>> updates;
    Dims tap(taps.size(), 0);
    do {
      Point point{index, Index(tap.begin(), tap.end()), {}};
      point.s.resize(2 * taps.size(), 0);
      spec::AccessedElement<N> reached = spec::reach(source, point);
      if (domain_.known(reached.in_domain) == false) continue;
      const TermId selected = is_selected(array, step, point, level);
      if (domain_.has_failed()) return 0;
      updates.emplace_back(
          walk_.choose(ElementType::kPred, of_truth(reached.in_domain), selected, of_truth(false)),
          walk_.element(walk_.operand(array, 1, 0), std::move(reached.index), level));
    } while (next_index(taps, tap));
    std::ranges::reverse(updates);
    TermId result = walk_.element(walk_.operand(array, 2, 0), {}, level);
    const auto symbol = spec::bag_symbol(walk_.module_, walk_.at(array), step.type);
    spec::Terms& terms = domain_.terms();
    if (symbol && symbol->opcode == HloOpcode::kAdd && spec::float_format(step.type)) {
      std::vector<TermId> added = {result};
      for (const auto& [is_added, update] : updates) {
        added.push_back(walk_.choose(step.type, is_added, update, terms.constant(step.type, 0.0)));
      }
      return terms.bag(terms.symbol(*symbol), std::move(added));
    }
    for (const auto& [is_added, update] : updates) {
      if (terms.value(is_added) == 0) continue;
      const TermId one = walk_.applied(array, "scatter", {result, update});
      if (domain_.has_failed()) return 0;
      result = walk_.choose(step.type, is_added, one, result);
    }
    return result;
  }

  // ---- Sorts ----

  TermId sorted(const Array& array, const Step& step, const Index& index, int64_t level) {
    const auto& dependences = step.relation.dependences;
    if (index.empty()) return walk_.element(walk_.operand(array, array.leaf, 0), index, level);
    const bool is_sort = walk_.at(array).opcode == HloOpcode::kSort;
    const auto dimensions = integers_of(walk_.at(array), "dimensions");
    const bool is_named = is_sort && dimensions.ok() && !dimensions->empty();
    const N place = index[is_named ? dimensions->front() : std::ssize(index) - 1];
    const auto at_place = [&](const N& s) {
      std::vector<TermId> all;
      for (const spec::Dependence& one : dependences) {
        all.push_back(walk_.element(walk_.operand(array, one.operand, one.leaf),
                                    spec::reach(one, Point{index, {s}, {}}).index, level + 1));
      }
      if (!is_sort) all.push_back(domain_.number_term(s, ElementType::kS32));
      return all;
    };
    if (dependences[0].ranges.size() != 1) return walk_.give_up();
    return domain_.line(step.meaning.symbol, dependences[0].ranges[0], level, at_place,
                        order_of(array, step), place);
  }

 private:
  // What a computation makes of the state and one point.
  std::vector<TermId> after_point(const typename NestedFolds<Walk>::Fold& fold,
                                  const std::vector<TermId>& state,
                                  const std::vector<TermId>& inits, const Index& s, TermId counts,
                                  int64_t level) {
    const auto& dependences = fold.step->relation.dependences;
    std::vector<TermId> all = state, results;
    spec::Truth<N> exists = true;
    for (size_t k = 0; k < dependences.size(); k += 2) {
      spec::AccessedElement<N> reached = spec::reach(dependences[k], Point{fold.index, s, {}});
      exists = reached.in_domain;
      if (domain_.known(exists) == false) {
        all.push_back(inits[k / 2]);
        continue;
      }
      const Array from = walk_.operand(fold.array, dependences[k].operand, dependences[k].leaf);
      const TermId one = walk_.element(from, std::move(reached.index), level + 1);
      all.push_back(domain_.select(walk_.type(from), exists, one, inits[k / 2]));
    }
    for (size_t k = 0; k < state.size() && !domain_.has_failed(); ++k) {
      const ElementType own = walk_.type(walk_.operand(fold.array, dependences[2 * k].operand, 0));
      const TermId one = walk_.applied(fold.array, "to_apply", all, static_cast<int64_t>(k));
      const TermId outside =
          domain_.known(exists) == true ? one : walk_.choose(own, counts, one, state[k]);
      results.push_back(domain_.select(own, exists, one, outside));
    }
    return results;
  }

  TermId of_truth(const spec::Truth<N>& truth) {
    spec::Terms& terms = domain_.terms();
    const auto constant = [&](int64_t value) { return terms.constant(ElementType::kPred, value); };
    return domain_.select(ElementType::kPred, truth, constant(1), constant(0));
  }

  // Whether the window of the source element that this tap (point.s, its first half) leads to selects
  // the element: the first, as long as `select` holds of it and each later one.
  TermId is_selected(const Array& array, const Step& step, Point point, int64_t level) {
    const spec::Dependence& of = step.relation.dependences[0];
    const Dims taps(of.ranges.begin(), of.ranges.begin() + std::ssize(of.ranges) / 2);
    const Index own(point.s.begin(), point.s.begin() + std::ssize(taps));
    TermId found = of_truth(false), is_own = found;
    std::optional<TermId> best;
    Dims tap(taps.size(), 0);
    do {
      std::ranges::copy(tap, point.s.begin() + std::ssize(taps));
      spec::AccessedElement<N> reached = spec::reach(of, point);
      if (domain_.known(reached.in_domain) == false) continue;
      const TermId next =
          walk_.element(walk_.operand(array, 0, 0), std::move(reached.index), level);
      bool is_same = true;
      for (size_t k = 0; k < tap.size(); ++k)
        is_same = is_same && domain_.key(tap[k]) == domain_.key(own[k]);
      const TermId is_next = of_truth(is_same), exists = of_truth(reached.in_domain);
      if (!best) best = next;
      const TermId keeps = walk_.applied(array, "select", {*best, next});
      if (!walk_.goes_on()) return walk_.give_up();
      const TermId stays = walk_.choose(ElementType::kPred, found, keeps, found);
      const TermId goes = walk_.choose(ElementType::kPred, stays, of_truth(false), exists);
      is_own = walk_.choose(ElementType::kPred, goes, is_next, is_own);
      best = walk_.choose(step.type, goes, next, *best);
      found = walk_.choose(ElementType::kPred, found, found, exists);
    } while (next_index(taps, tap));
    return is_own;
  }

  // What says that one element of a line is before another, as the definition has it.
  TermId order_of(const Array& array, const Step& step) {
    spec::Terms& terms = domain_.terms();
    std::vector<TermId> compared;
    for (const auto& leaves : step.op.operands) {
      const ElementType type = leaves[0].array->element_type;
      for (int side = 0; side < 2; ++side) {
        const auto number = static_cast<int32_t>(compared.size());
        const auto one =
            terms.symbol({.text = absl::StrCat("compared ", number, " ", info(type).name),
                          .opcode = HloOpcode::kSort,
                          .type = type,
                          .operand = number});
        compared.push_back(terms.element(one, 0));
      }
    }
    const HloInstruction& i = walk_.at(array);
    if (i.opcode != HloOpcode::kTopk) {
      return walk_.applied(array, i.opcode == HloOpcode::kSort ? "to_apply" : "called_computations",
                           std::move(compared));
    }
    const ElementType type = terms.symbol_of(compared[0]).type;
    const auto before =
        terms.symbol({.text = absl::StrCat("compare LT of ", info(type).name,
                                           spec::is_integer(type) ? "" : " TOTALORDER"),
                      .opcode = HloOpcode::kCompare,
                      .type = ElementType::kPred,
                      .from = type,
                      .direction = "LT"});
    if (*find_attribute(i.attributes, "largest") == "true") std::ranges::reverse(compared);
    return terms.apply(before, compared);
  }

  Walk& walk_;
  typename Walk::DomainType& domain_;
  NestedFolds<Walk> folds_;
};

}  // namespace tileproof::verify

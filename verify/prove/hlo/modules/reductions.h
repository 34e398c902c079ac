// SPDX-License-Identifier: Apache-2.0
// Reductions by one operation: what each of their points adds. A contraction adds products.
//
//     reduce(x), add         point s adds x[s]
//     dot(x, y)              point s adds x[r, s] * y[s, c]
//     scatter(a, at, u)      window s adds the update of it that lands on the element, or nothing
//     all-reduce(x)          device s of the group adds its x
//
// If the order is free, a reduction of reductions is one, of the points of both; and one over the taps of a
// window may be the sum of what each tap adds, written out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "verify/prove/hlo/modules/any_round.h"
#include "verify/prove/hlo/modules/array_bounds.h"
#include "verify/prove/hlo/modules/device_tables.h"
#include "verify/prove/hlo/modules/zero_points.h"

namespace tileproof::verify {

// What one point of a reduction adds. Products have two factors. A point that does not exist adds what
// is there in place of it, or nothing.
template <class N>
struct BagPoint {
  spec::Truth<N> exists;
  std::vector<spec::TermId> factors = {};
  std::optional<spec::TermId> in_place = std::nullopt;
};

// Of a walk (verify/prove/hlo/modules/element_walk.h).
template <class Walk>
class Reductions {
 public:
  using N = typename Walk::N;
  using Index = typename Walk::Index;
  using Array = typename Walk::Array;
  using Place = typename Walk::Place;
  using Step = typename Walk::Step;
  using Point = typename Walk::Point;
  using TermId = spec::TermId;

  explicit Reductions(Walk& walk) : walk_(walk), domain_(walk.domain_) {}

  // `tap`: the values of the first ranges, if only those points are meant, without the init.
  TermId computed_bag(const Array& array, const Index& index, int64_t level,
                      const Index& tap = {}) {
    const auto outer = reduction_at({array, index}, level);
    if (!outer) return walk_.give_up();
    std::vector<Reduction> chain = {*outer};
    while (domain_.has_any_order(outer->symbol) &&
           std::ranges::count(chain.back().ranges, 0) == 0) {
      const auto anywhere = domain_.every_index(chain.back().ranges,
                                                absl::StrCat("n", level, ".", chain.size(), "."));
      auto inner = anywhere ? inner_at(chain.back(), *anywhere, level) : std::nullopt;
      if (domain_.has_failed() || !inner) break;
      chain.push_back(*std::move(inner));
    }
    if (domain_.has_failed()) return 0;
    Dims ranges;
    for (const Reduction& one : chain) {
      ranges.insert(ranges.end(), one.ranges.begin(), one.ranges.end());
    }
    ranges.erase(ranges.begin(), ranges.begin() + std::ssize(tap));
    const auto zeros = zero_points(*outer, level);
    const auto point = [&](const Index& others) {
      Index s = tap;
      s.insert(s.end(), others.begin(), others.end());
      if constexpr (std::is_same_v<N, int64_t>) {
        if (zeros && zeros->contains(s)) return BagPoint<N>{.exists = false};
      }
      Reduction last = *outer;
      size_t first = last.ranges.size();
      for (size_t k = 1; k < chain.size(); ++k) {
        const auto begin = s.begin() + static_cast<int64_t>(first - last.ranges.size());
        auto inner = inner_at(last, Index(begin, begin + std::ssize(last.ranges)), level);
        if (!inner || inner->array.instruction != chain[k].array.instruction) {
          walk_.give_up();
          return BagPoint<N>{false};
        }
        last = *std::move(inner);
        first += last.ranges.size();
      }
      const auto begin = s.begin() + static_cast<int64_t>(first - last.ranges.size());
      return added_by(last, Index(begin, s.end()), level);
    };
    const Reduction& last = chain.back();
    const auto init = !tap.empty() ? std::nullopt : outer->init ? outer->init : last.init;
    const bool is_of_products = last.symbol.group == 2;  // and the init is none
    const TermId all = domain_.bag(walk_.at(last.array), last.symbol, ranges, level, point,
                                   is_of_products ? std::nullopt : init, chain.size() > 1);
    if (!init || !is_of_products || domain_.has_failed()) return all;
    return domain_.terms().bag(domain_.terms().symbol(outer->symbol), {*init, all});
  }

  // The taps of a window, over which it is a sum of what each one adds; the ranges of the reduction begin with
  // them.
  static Dims taps_of(const Step& step) {
    if (step.meaning.rule != spec::Rule::kBag && step.meaning.rule != spec::Rule::kFold) return {};
    const spec::Access& access = step.relation.dependences[0].access;
    if (const auto* window = std::get_if<op::ReduceWindow>(&access)) {
      return spec::taps_of(window->window);
    }
    const auto* convolution = std::get_if<op::Convolution>(&access);
    return convolution == nullptr ? Dims() : spec::taps_of(convolution->window);
  }
  TermId sum_of_taps(const Array& array, const Step& step, const Dims& taps, const Index& index,
                     int64_t level) {
    const auto all = reduction_at({array, index}, level);
    if (!all || !domain_.has_any_order(all->symbol)) return walk_.give_up();
    std::vector<TermId> parts;
    if (all->init) parts.push_back(*all->init);
    Dims tap(taps.size(), 0);
    if (std::ranges::count(taps, 0) > 0) return walk_.give_up();
    do {
      const auto part = [&](const Array& one, const Index& at, int64_t inner) {
        return computed_bag(one, at, inner, Index(tap.begin(), tap.end()));
      };
      parts.push_back(walk_.function(array, step.type, index, level, part));
    } while (!domain_.has_failed() && next_index(taps, tap));
    spec::Terms& terms = domain_.terms();
    return terms.bag(terms.symbol(spec::bag_of(all->symbol.opcode, step.type)), std::move(parts));
  }

  // At a point where parameters have many zeros, a factor that is one of them is looked at first. If it is 0, so
  // is the product with any number.
  bool is_looked_at_first(const Array& factor) {
    if constexpr (std::is_same_v<N, int64_t>) {
      return domain_.point().has_thin() && bounds().is_given(factor);
    }
    return false;
  }
  bool makes_zero(TermId factor, const Array& other) {
    if constexpr (std::is_same_v<N, int64_t>) {
      return domain_.point().has_thin() && !domain_.has_failed() && domain_.is_zero(factor) &&
             bounds().are_known(other);
    }
    return false;
  }

 private:
  // A reduction of a chain: each one reduces the results of the next. If the order is free, and all are of one
  // kind, a chain is one reduction.
  struct Reduction {
    Array array;
    Index index;
    const Step* step = nullptr;
    int64_t first =
        0;  // its dependence on what it reduces; the next one: on the other factor, or the init
    Dims ranges = {};
    spec::Symbol symbol = {};
    std::optional<TermId> init = std::nullopt;
  };
  // The one at this place. Nothing if it is none, or not followed.
  std::optional<Reduction> reduction_at(Place place, int64_t level) {
    const Step* step = walk_.step_of(place.array);
    if (step == nullptr) return std::nullopt;
    Reduction one{place.array, std::move(place.index), step};
    if (walk_.is_exchanged(one.array, *step)) {
      const auto symbol = spec::bag_symbol(walk_.module_, walk_.at(one.array), step->type);
      const DeviceTables* tables = walk_.exchanges_->tables_of(one.array, *step);
      if (!symbol || tables == nullptr || !tables->is_bag()) return std::nullopt;
      one.symbol = *symbol;
      one.ranges = {tables->group_size()};
      return one;
    }
    if constexpr (Walk::kIsAnyIndex) {
      if (walk_.is_any_round(one.array, *step)) {
        const auto& leaf = walk_.any_round().leaf(one.array);
        if (leaf.kind != AnyRound<Walk>::Kind::kSum) return std::nullopt;
        one.symbol = spec::bag_of(leaf.adds, step->type);
        one.ranges = {leaf.rounds};
        one.init = walk_.element(walk_.operand(one.array, 0, one.array.leaf), one.index, level);
        return one;
      }
    }
    if (!walk_.is_plain(*step)) return std::nullopt;
    if (step->meaning.rule == spec::Rule::kScatter) {
      const auto symbol = spec::bag_symbol(walk_.module_, walk_.at(one.array), step->type);
      if (!symbol) return std::nullopt;
      one.symbol = *symbol;
      one.ranges = walk_.in_order_->windows_of(*step);
      one.init = walk_.element(walk_.operand(one.array, 0, 0), one.index, level);
      return one;
    }
    if (step->meaning.rule == spec::Rule::kFold) {
      const auto own =
          spec::reducer_of_leaf(walk_.module_, walk_.at(one.array), one.array.leaf, step->type);
      if (!own) return std::nullopt;
      one.symbol = *own;
      one.first = 2 * one.array.leaf;
    } else if (step->meaning.rule == spec::Rule::kBag) {
      one.symbol = step->meaning.symbol;
    } else {
      return std::nullopt;
    }
    const auto& dependences = step->relation.dependences;
    if (std::ssize(dependences) < one.first + 2) return std::nullopt;
    one.ranges = dependences[one.first].ranges;
    const spec::Dependence& last = dependences[one.first + 1];
    if (one.symbol.group == 2) {
      return one.ranges == last.ranges ? std::optional(one) : std::nullopt;
    }
    if (!last.ranges.empty()) return std::nullopt;
    one.init = walk_.element(walk_.operand(one.array, last.operand, last.leaf),
                             spec::reach(last, Point{one.index, {}, {}}).index, level);
    return one;
  }
  // What the point s of a reduction of elements reads, where that is moved from.
  std::optional<Place> reduced_at(const Reduction& one, const Index& s) {
    std::optional<Place> place;
    if (walk_.is_exchanged(one.array, *one.step)) {
      if constexpr (!std::is_same_v<N, int64_t>) {
        const DeviceTables* tables = walk_.exchanges_->tables_of(one.array, *one.step);
        const auto sent = tables->sent(walk_.device_of(one.array), one.index, s[0]);
        place = walk_.exchanges_->place_of(one.array, sent.at(0));
      }
    } else if (one.step->relation.loop) {
      if constexpr (Walk::kIsAnyIndex) place = walk_.any_round().added(one.array, s[0], one.index);
    } else {
      const spec::Dependence& from = one.step->relation.dependences[one.first];
      spec::AccessedElement<N> reached = spec::reach(from, Point{one.index, s, {}});
      if (domain_.known(reached.in_domain) != true) return std::nullopt;
      place = Place{walk_.operand(one.array, from.operand, from.leaf), std::move(reached.index)};
    }
    return place ? std::optional(walk_.moved_back(*std::move(place))) : std::nullopt;
  }
  // The reduction of the same kind that point s is.
  std::optional<Reduction> inner_at(const Reduction& outer, const Index& s, int64_t level) {
    const bool is_scatter = outer.step->meaning.rule == spec::Rule::kScatter;
    if (outer.symbol.group != 1 || is_scatter) return std::nullopt;
    const auto place = reduced_at(outer, s);
    if (!place || walk_.cuts_.contains(place->array)) return std::nullopt;
    auto inner = reduction_at(*place, level);
    const bool is_same = inner && inner->symbol.opcode == outer.symbol.opcode &&
                         inner->symbol.type == outer.symbol.type &&
                         (!inner->init || domain_.adds_nothing(inner->symbol, *inner->init));
    return is_same ? inner : std::nullopt;
  }

  // What one point adds.
  BagPoint<N> added_by(const Reduction& one, const Index& s, int64_t level) {
    if (one.step->meaning.rule == spec::Rule::kScatter) {
      return walk_.in_order_->update_at(one.array, *one.step, one.index, s, level);
    }
    BagPoint<N> added{.exists = true, .in_place = one.init};
    if (walk_.is_exchanged(one.array, *one.step) || one.step->relation.loop) {
      const auto place = reduced_at(one, s);
      if (place) {
        added.factors.push_back(walk_.element(place->array, place->index, level + 1));
      } else {
        walk_.give_up();
      }
      return added;
    }
    const auto& dependences = one.step->relation.dependences;
    const auto factor = [&](int64_t k) {
      return walk_.operand(one.array, dependences[k].operand, dependences[k].leaf);
    };
    std::vector<int64_t> order = {one.first};
    if (one.symbol.group == 2) order.push_back(one.first + 1);
    const bool is_turned = order.size() == 2 && is_looked_at_first(factor(order[1]));
    if (is_turned) std::swap(order[0], order[1]);
    for (const int64_t k : order) {
      spec::AccessedElement<N> reached = spec::reach(dependences[k], Point{one.index, s, {}});
      added.exists = added.exists && reached.in_domain;
      if (domain_.known(added.exists) == false) break;
      added.factors.push_back(walk_.element(factor(k), std::move(reached.index), level + 1));
      const bool is_first = order.size() == 2 && k == order[0];
      if (is_first && makes_zero(added.factors[0], factor(order[1]))) return {.exists = false};
    }
    if (is_turned && added.factors.size() == 2) std::swap(added.factors[0], added.factors[1]);
    return added;
  }

  // The points that a parameter makes zero which is looked at first.
  std::optional<ZeroPoints> zero_points(const Reduction& one, int64_t level) {
    if constexpr (std::is_same_v<N, int64_t>) {
      if (one.symbol.group != 2 || walk_.at(one.array).opcode != HloOpcode::kDot)
        return std::nullopt;
      const auto& dependences = one.step->relation.dependences;
      const auto factor = [&](int64_t k) {
        return walk_.operand(one.array, dependences[one.first + k].operand, 0);
      };
      const int64_t first = is_looked_at_first(factor(1)) ? 1 : 0;
      const Array array = factor(first);
      const bool is_given = walk_.at(array).opcode == HloOpcode::kParameter &&
                            array.frame->caller == nullptr && !walk_.cuts_.contains(array);
      if (!is_given || !is_looked_at_first(array) || !bounds().are_known(factor(1 - first))) {
        return std::nullopt;
      }
      const spec::Dependence& from = dependences[one.first + first];
      return ZeroPoints::of(domain_.point(), domain_.terms(), one.ranges, [&](const Index& s) {
        return walk_.element(array, spec::reach(from, Point{one.index, s, {}}).index, level + 1);
      });
    }
    return std::nullopt;
  }
  ArrayBounds<Walk>& bounds() {
    if (bounds_ == nullptr) {
      bounds_ = std::make_unique<ArrayBounds<Walk>>(walk_, domain_.point());
    }
    return *bounds_;
  }

  Walk& walk_;
  typename Walk::DomainType& domain_;
  std::unique_ptr<ArrayBounds<Walk>> bounds_;
};

}  // namespace tileproof::verify

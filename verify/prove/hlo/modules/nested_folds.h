// SPDX-License-Identifier: Apache-2.0
// A fold of folds by one computation is one fold, if the computation is associative.
//
//     fold over i of (fold over j of x[i, j])     fold over (i, j) of x[i, j]
//
// So the index of the greatest element of a row is that of the greatest of each part, and then of the parts.
// Each inner fold begins with an init of its own, which must change nothing after another init.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"

namespace tileproof::verify {

// Of a walk whose indexes stand for all (verify/prove/hlo/modules/element_walk.h).
template <class Walk>
class NestedFolds {
 public:
  using Index = typename Walk::Index;
  using Array = typename Walk::Array;
  using Place = typename Walk::Place;
  using Step = typename Walk::Step;
  using Point = typename Walk::Point;
  using TermIds = std::vector<spec::TermId>;

  // An element of all leaves of a reduction.
  struct Fold {
    Array array;
    const Step* step = nullptr;
    Index index;
    const Dims& ranges() const { return step->relation.dependences[0].ranges; }
  };

  explicit NestedFolds(Walk& walk) : walk_(walk), domain_(walk.domain_) {}

  // The ranges of the fold, and of those that its points are, from the outermost on. `inits`: those of each.
  std::vector<Dims> ranges_of(Fold fold, const TermIds& inits, int64_t level) {
    std::vector<Dims> all = {fold.ranges()};
    if (domain_.has_failed()) return all;
    while (std::ranges::count(all.back(), 0) == 0) {
      const auto anywhere =
          domain_.every_index(all.back(), absl::StrCat("n", level, ".", all.size(), "."));
      auto inner = anywhere ? at(fold, *anywhere) : std::nullopt;
      const bool is_one = inner && is_same(*inner, fold, level) && is_associative(fold, inits);
      if (domain_.has_failed()) domain_.recover();
      if (!is_one) break;
      fold = *std::move(inner);
      all.push_back(fold.ranges());
    }
    return all;
  }

  // The fold that a point is.
  std::optional<Fold> at(const Fold& outer, const Index& s) {
    std::optional<Fold> found;
    const auto& dependences = outer.step->relation.dependences;
    for (size_t k = 0; k < dependences.size(); k += 2) {
      auto reached = spec::reach(dependences[k], Point{outer.index, s, {}});
      if (domain_.known(reached.in_domain) != true) return std::nullopt;
      const Array from = walk_.operand(outer.array, dependences[k].operand, dependences[k].leaf);
      const Place place = walk_.moved_back({from, std::move(reached.index)});
      const bool is_leaf = place.array.leaf == static_cast<int64_t>(k / 2);
      const Step* step = walk_.cuts_.contains(place.array) ? nullptr : walk_.step_of(place.array);
      if (!is_leaf || step == nullptr || !walk_.in_order_->is_folded(place.array, *step))
        return std::nullopt;
      if (k == 0) found = Fold{place.array, step, place.index};
      const Array first{place.array.frame, place.array.instruction, 0};
      const bool is_there = first == found->array && are_same(place.index, found->index);
      if (!is_there) return std::nullopt;
    }
    const bool has_all = found && found->step->relation.dependences.size() == dependences.size();
    return has_all ? found : std::nullopt;
  }

 private:
  bool are_same(const Index& a, const Index& b) const {
    const auto key = [&](const auto& number) { return domain_.key(number); };
    return std::ranges::equal(a, b, {}, key, key);
  }
  TermIds any(const Fold& fold, const char* which) {
    TermIds all;
    for (size_t k = 0; k < fold.step->relation.dependences.size() / 2; ++k) {
      const ElementType type =
          walk_.type({fold.array.frame, fold.array.instruction, static_cast<int64_t>(k)});
      spec::Terms& terms = domain_.terms();
      const std::string text = absl::StrCat("any ", which, " ", k);
      all.push_back(terms.opaque(terms.symbol({.text = text, .type = type}), 0, {}));
    }
    return all;
  }
  TermIds combined(const Fold& fold, const TermIds& a, const TermIds& b) {
    TermIds both = a, all;
    both.insert(both.end(), b.begin(), b.end());
    for (size_t k = 0; k < a.size() && !domain_.has_failed(); ++k) {
      all.push_back(walk_.applied(fold.array, "to_apply", both, static_cast<int64_t>(k)));
    }
    all.resize(a.size());
    return all;
  }

  // Whether both have the same computation and inits.
  bool is_same(const Fold& a, const Fold& b, int64_t level) {
    const TermIds x = any(b, "first"), y = any(b, "second");
    return any(a, "first") == x &&
           walk_.in_order_->inits_of(a.array, *a.step, a.index, level) ==
               walk_.in_order_->inits_of(b.array, *b.step, b.index, level) &&
           combined(a, x, y) == combined(b, x, y) && !domain_.has_failed();
  }

  // Whether (x y) z is x (y z), init init is init, and (init x) init is init x: then an init changes nothing where
  // there is one before.
  bool is_associative(const Fold& fold, const TermIds& inits) {
    const TermIds x = any(fold, "first"), y = any(fold, "second"), z = any(fold, "third");
    TermIds left = combined(fold, combined(fold, x, y), z);
    TermIds right = combined(fold, x, combined(fold, y, z));
    const auto [known, is_new] = associative_.try_emplace({left, inits}, false);
    if (!is_new || domain_.has_failed()) return known->second;
    const TermIds once = combined(fold, inits, x);
    for (const auto& [twice, one] : {std::pair(combined(fold, once, inits), once),
                                     std::pair(combined(fold, inits, inits), inits)}) {
      left.insert(left.end(), twice.begin(), twice.end());
      right.insert(right.end(), one.begin(), one.end());
    }
    return known->second = !domain_.has_failed() && domain_.are_equal(left, right);
  }

  Walk& walk_;
  typename Walk::DomainType& domain_;
  std::map<std::pair<TermIds, TermIds>, bool> associative_;
};

}  // namespace tileproof::verify

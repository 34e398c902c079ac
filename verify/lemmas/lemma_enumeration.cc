// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/lemma_enumeration.h"

#include <utility>

namespace tileproof::lemmas {
namespace {

using impl::Claim;
using impl::ClaimKind;

class Walk {
 public:
  Walk(const StatedLemma& lemma, int64_t radius, int64_t limit)
      : lemma_(lemma), left_(limit), point_(lemma.variables.size()) {
    result_.radius = radius;
  }

  Enumeration run_all() {
    result_.complete = visit(0);
    return std::move(result_);
  }

 private:
  // Tries every value of variable `position` and all after it, which have no value yet. Returns false
  // to stop.
  bool visit(size_t position) {
    const Claim<Integer> claim = lemma_.at(point_);
    const std::optional<bool> holds = are_true(claim.hypotheses);
    if (position == point_.size()) return holds != true || try_point(claim);
    if (holds == false) return true;
    for (int64_t step = 0; step <= 2 * result_.radius; ++step) {
      if (left_-- <= 0) return false;
      point_[position].value = step % 2 == 0 ? -step / 2 : (step + 1) / 2;  // 0, 1, -1, 2, -2, ..
      if (!visit(position + 1)) return false;
    }
    point_[position].value.reset();
    return true;
  }

  bool try_point(const Claim<Integer>& claim) {
    std::vector<int64_t> point;
    for (const Integer& value : point_) point.push_back(*value.value);
    ++result_.points;
    const bool left_side = claim.kind != ClaimKind::kEquivalent || are_true(claim.before) == true;
    if (left_side) {
      ++result_.before;
      if (!result_.witness) result_.witness = point;
    }
    if (conclusion_is_true(claim) == true) return true;
    result_.failure = point;
    return false;
  }

  const StatedLemma& lemma_;
  int64_t left_;
  Enumeration result_;
  std::vector<Integer> point_;
};

}  // namespace

Enumeration enumerate(const StatedLemma& lemma, int64_t radius, int64_t limit) {
  return Walk(lemma, radius, limit).run_all();
}

Enumeration enumerate_largest(const StatedLemma& lemma, int64_t largest_radius, int64_t limit) {
  Enumeration best;
  for (int64_t radius = 1; radius <= largest_radius; ++radius) {
    Enumeration next = enumerate(lemma, radius, limit);
    if (next.failure) return next;
    if (!next.complete) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace tileproof::lemmas

// SPDX-License-Identifier: Apache-2.0
// Facts about polynomials, and sets of them.
//
// A fact says that a polynomial lies in an interval. Either end of the interval may be missing. An
// equation is a fact about the difference of its sides. A Fact has no constant term, and its first
// coefficient is positive. So `3 - d0 in [0, 2]` and `d0 in [1, 3]` are one fact.
#pragma once

#include <map>
#include <optional>

#include "verify/trace/values.h"

namespace tileproof::trace {

struct Fact {
  Polynomial polynomial;  // no constant term; the first coefficient is positive
  std::optional<Wide> low, high;
};

// The fact that the polynomial lies in the interval. Invalid if an end does not fit 127 bits.
Fact make_fact(const Polynomial& polynomial, std::optional<Wide> low, std::optional<Wide> high);
Fact make_fact(const impl::Fact<Value>& fact);
Fact rewritten(const Fact& fact, Table& table, const Equations& equations);

class Facts {
 public:
  // Intersects the polynomial's interval with the one of the fact. Returns whether that changed it.
  bool add(const Fact& fact);
  // Some interval is empty, or a step showed `never`.
  bool contradictory() const { return contradictory_; }
  void add_contradiction() { contradictory_ = true; }
  // Whether the fact follows from one interval, or from a contradiction.
  bool imply(const Fact& fact) const;

 private:
  std::map<Polynomial, Fact> facts_;
  bool contradictory_ = false;
};

}  // namespace tileproof::trace

// Facts about polynomials, and sets of them.
//
// A fact says that a polynomial lies in an interval, either end of which may be missing; an
// equation is a fact about the difference of its sides. Facts are kept without constant and with
// the first factor positive, so that the facts about a polynomial are found whatever sign or
// constant they were told with.
#pragma once

#include <map>
#include <optional>

#include "verify/trace/values.h"

namespace tileproof::trace {

struct Fact {
  Polynomial polynomial;  // without constant, the first factor positive
  std::optional<Wide> low, high;
};

// The polynomial lies in the interval; invalid where the constant leaves 127 bits.
Fact make_fact(const Polynomial& polynomial, std::optional<Wide> low, std::optional<Wide> high);
// As a lemma states it.
Fact make_fact(const impl::Fact<Value>& fact);
Fact rewritten(const Fact& fact, Table& table, const Equations& equations);

class Facts {
 public:
  // What holds of the polynomial is the intersection of all that was added. True if that is new.
  bool add(const Fact& fact);
  // Nothing satisfies the facts: some interval is empty, or `never` was shown.
  bool contradictory() const { return contradictory_; }
  void add_contradiction() { contradictory_ = true; }
  // Follows from one interval, or from a contradiction.
  bool imply(const Fact& fact) const;

 private:
  std::map<Polynomial, Fact> facts_;
  bool contradictory_ = false;
};

}  // namespace tileproof::trace

// Executes a lemma at every point of a box around zero.
//
// The box is [-radius, radius] in each variable. Points are visited variable by variable, and a
// hypothesis is tried as soon as its variables have values, so that boxes of eight variables stay
// affordable. At every point where all hypotheses hold, the declaration itself is executed with
// checked integers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verify/lemmas/lemma_table.h"

namespace tileproof::verify {

struct Enumeration {
  int64_t radius = 0;
  int64_t points = 0;  // with all hypotheses satisfied; a lemma that was never tried proves nothing
  int64_t before = 0;  // of these, where the left side of an equivalence holds
  std::optional<std::vector<int64_t>>
      failure;  // the first point where the conclusion is false or undefined
  std::optional<std::vector<int64_t>>
      witness;            // a point where the hypotheses (and an equivalence's left side) hold
  bool complete = false;  // the whole box was visited, without stopping at a failure or the limit
};

// Stops at the first failure, and after visiting `limit` partial points.
Enumeration enumerate(const StatedLemma& lemma, int64_t radius, int64_t limit);

// The largest box, up to the given radius, that `limit` partial points suffice for.
Enumeration enumerate_largest(const StatedLemma& lemma, int64_t largest_radius, int64_t limit);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Evaluates a lemma at every point of a box around zero.
//
// The box is [-radius, radius] in each variable. Variables get values one at a time, and the declaration
// is evaluated with checked integers, of which those without a value are undefined. What makes a
// hypothesis false goes no further; this keeps boxes of eight variables affordable.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verify/lemmas/lemma_table.h"

namespace tileproof::lemmas {

struct Enumeration {
  int64_t radius = 0;
  int64_t points = 0;  // points that satisfy all hypotheses; 0 shows nothing
  int64_t before = 0;  // of these, points with an equivalence's left side
  std::optional<std::vector<int64_t>>
      failure;  // the first point where the conclusion is false or undefined
  std::optional<std::vector<int64_t>>
      witness;            // a point where the hypotheses (and an equivalence's left side) hold
  bool complete = false;  // visited the whole box: no failure, no limit
};

// Stops at the first failure, or after `limit` partial points.
Enumeration enumerate(const StatedLemma& lemma, int64_t radius, int64_t limit);

// Enumerates the largest box, up to the given radius, that `limit` partial points cover.
Enumeration enumerate_largest(const StatedLemma& lemma, int64_t largest_radius, int64_t limit);

}  // namespace tileproof::lemmas

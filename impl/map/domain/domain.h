// SPDX-License-Identifier: Apache-2.0
// The domain of a map in normal form: bounds as tight as the constraints show, and no redundant
// constraints.
//
// Every constraint becomes `combination in interval`, where (each step is a lemma of
// impl/lemmas/lemmas.h)
//
//   - the constant has moved into the interval, and the common factor is divided out, with the
//     interval rounded inwards;
//   - floor(x / c) in [l, h] has become x in [c*l, c*h + c - 1];
//   - a part that cannot matter is dropped: d0 * 6 + s0 * 3 + s1 in [0, 599] with s0 * 3 + s1 in
//     [0, 5] becomes d0 in [0, 99];
//   - a constraint on one variable has become its bound, and whatever the bounds imply is gone;
//   - the interval has no values that the combination cannot take;
//   - equal combinations have one interval, and congruences on one combination are one congruence:
//     x mod 4 = 1 and x mod 6 = 3 is x mod 12 = 9 (Chinese remainders);
//   - each sum has tightened the bounds of its variables until nothing changed; if that takes more
//     than a fixed number of rounds, no sum tightens bounds.
//
// Each of these steps keeps the set of points.
#pragma once

#include <vector>

#include "impl/map/normal_form/normalize.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct Domain {
  bool empty = false;
  std::vector<Range> bounds;  // of all variables: dimensions, ranges, runtime
  std::vector<NormalConstraint>
      constraints;           // in terms of the given NormalFormContext and these bounds
  bool no_fixpoint = false;  // propagation stopped before it reached a fixpoint
};

// Afterwards the NormalFormContext has the bounds of the result.
Domain simplify_domain(NormalFormContext& context, Normalizer& normalizer, const IndexingMap& map);

// Adds the constraints to the assumptions of the context: ranges, and with them floors, may become
// smaller. A constraint must not be used to simplify itself. Renderings may become cheaper, too, so
// memoized costs are dropped.
void assume(NormalFormContext& context, const std::vector<NormalConstraint>& constraints);

}  // namespace tileproof::impl

// The domain of a map in normal form: bounds as tight as the constraints show, and the constraints
// that still say something.
//
// Every constraint becomes `combination in interval`, where (each a fact of impl/lemmas/lemmas)
//
//   - the constant has moved into the interval, and the common factor is divided out, the interval
//     rounded inwards;
//   - floor(x / c) in [l, h] has become x in [c*l, c*h + c - 1];
//   - a part that cannot matter is dropped: d0 * 6 + s0 * 3 + s1 in [0, 599] with s0 * 3 + s1 in
//     [0, 5] says d0 in [0, 99];
//   - a constraint on one variable has become its bound, and whatever the bounds imply is gone;
//   - the interval has no values that the combination cannot take;
//   - equal combinations have one interval, and congruences on one combination are one congruence:
//     x mod 4 = 1 and x mod 6 = 3 is x mod 12 = 9 (Chinese remainders);
//   - the bounds of each variable are tightened by each sum that it occurs in, until nothing
//   changes
//     (or not at all, where that takes more rounds than a fixed number).
//
// The set of points is the same after each of these steps.
#pragma once

#include <vector>

#include "impl/map/normal_form/normalize.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// `form in range`, from the constraints of the map with these numbers.
struct NormalConstraint {
  Linear form;            // without constant, the first factor positive
  Linear rendering = {};  // for it, once they were looked for
  Range range;
  int32_t mod = -1;  // the atom S mod b that the form is, if it is one
  std::vector<int> sources;
  bool as_written = false;  // could not be treated: the constraint stays as it is

  bool operator==(const NormalConstraint&) const = default;
};

struct Domain {
  bool empty = false;
  std::vector<Range> bounds;  // of all variables: dimensions, ranges, runtime
  std::vector<NormalConstraint>
      constraints;           // forms of the NormalFormContext that was passed, for these bounds
  bool no_fixpoint = false;  // not all that sums say of the bounds is in them
};

// Afterwards the NormalFormContext has the bounds of the result.
Domain simplify_domain(NormalFormContext& context, Normalizer& normalizer, const IndexingMap& map);

// From here on the NormalFormContext knows the conditions: ranges, and with them floors, may become smaller.
// What is known of a constraint must not serve to simplify the constraint itself. Words may become
// cheaper, too: what they cost is forgotten.
void assume(NormalFormContext& context, const std::vector<NormalConstraint>& constraints);

}  // namespace tileproof::impl

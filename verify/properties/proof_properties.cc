// SPDX-License-Identifier: Apache-2.0
// Answers of provers against enumeration.
#include "verify/properties/property.h"
#include "verify/prove/layout/is_bitcast_compare.h"

namespace tileproof::verify {

std::vector<Property> proof_properties() {
  return {of_choices("moves", 1000, [](Choose& choose, CaseCounts& tally) {
    const IsBitcastComparison found = compare_is_bitcast(choose);
    tally["free"] += found.free;
    tally["not free"] += found.moved;
    return found.difference;
  })};
}

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Answers of provers against enumeration.
#include "verify/compare/grid_compare.h"
#include "verify/properties/property.h"
#include "verify/prove/layout/is_bitcast_compare.h"

namespace tileproof::verify {
namespace {

std::string check_moves(Choose& choose, CaseCounts& tally) {
  const IsBitcastComparison found = compare_is_bitcast(choose);
  tally["free"] += found.free;
  tally["not free"] += found.moved;
  return found.difference;
}

std::string check_random_grid(Choose& choose, CaseCounts& tally) {
  const GridComparison found = compare_grid(random_grid(choose));
  tally["facts that maps decide"] += found.by_maps;
  tally["facts that maps refute"] += found.refuted;
  return found.difference;
}

}  // namespace

std::vector<Property> proof_properties() {
  return {of_choices("moves", 1000, check_moves), of_choices("grid", 600, check_random_grid)};
}

}  // namespace tileproof::verify

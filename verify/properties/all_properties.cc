// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "verify/properties/property.h"

namespace tileproof::verify {

std::vector<Property> all_properties() {
  std::vector<Property> all;
  for (auto* more : {layout_properties, map_properties, hlo_properties, golden_properties}) {
    std::vector<Property> some = more();
    all.insert(all.end(), std::make_move_iterator(some.begin()),
               std::make_move_iterator(some.end()));
  }
  return all;
}

}  // namespace tileproof::verify

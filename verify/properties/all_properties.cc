// SPDX-License-Identifier: Apache-2.0
#include "verify/properties/property.h"

namespace tileproof::verify {

std::vector<Property> all_properties() {
  return joined({layout_properties, map_properties, hlo_properties, golden_properties});
}

}  // namespace tileproof::verify

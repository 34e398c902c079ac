// SPDX-License-Identifier: Apache-2.0
// Prints the offset of an element and a simplified map.
#include <iostream>

#include "impl/layout/tiled_layout.h"
#include "impl/map/simplify.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

int main() {
  const auto shape = tileproof::parse_shape("f32[3,5]{1,0:T(2,2)}");
  const auto layout = tileproof::impl::TiledLayout::create(*shape);
  const auto map = tileproof::parse_map("(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]");
  std::cout << *layout->linearize({2, 3}) << "\n" << to_text(*tileproof::impl::simplify(*map)) << "\n";
}

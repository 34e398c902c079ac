// SPDX-License-Identifier: Apache-2.0
// Draws an array of one or two dimensions: who holds each element. What nobody holds is hatched.
#pragma once

#include <string>
#include <vector>

#include "spec/lang/base/dims.h"

namespace tileproof::picture {

struct HeldCell {
  std::string label = {};  // empty: nobody holds it
  double shade = 0;        // from 0 to 1
};

// The cells are in row-major order.
std::string held_svg(const std::string& title, const Dims& dims,
                     const std::vector<HeldCell>& cells);

}  // namespace tileproof::picture

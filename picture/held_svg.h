// SPDX-License-Identifier: Apache-2.0
// Draws an array of one or two dimensions: who holds each element. What nobody holds is hatched.
#pragma once

#include <string>
#include <vector>

#include "picture/svg.h"
#include "spec/lang/base/dims.h"

namespace tileproof::picture {

struct HeldCell {
  std::string label = {};  // empty: nobody holds it; T9:V2 is two lines if the picture is wide
  Color color = {};
};

// The cells are in row-major order. `legend` says what labels and colors mean.
std::string held_svg(const std::string& title, const std::string& legend, const Dims& dims,
                     const std::vector<HeldCell>& cells);

}  // namespace tileproof::picture

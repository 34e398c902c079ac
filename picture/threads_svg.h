// SPDX-License-Identifier: Apache-2.0
// Draws a layout of threads: each element of the array with the thread and the register, or value,
// that hold it, T3:V1, colored by the thread. A thread counts through all warps of a block. `+1` says
// that one more place holds the element; what nobody holds is hatched.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "picture/svg.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/layout/thread_layout.h"

namespace tileproof::picture {

// Draws an array of one or two dimensions: who holds each element. What nobody holds is hatched.

struct HeldCell {
  std::string label = {};  // empty: nobody holds it; T9:V2 is two lines if the picture is wide
  Color color = {};
};

// The cells are in row-major order. `legend` says what labels and colors mean.
std::string held_svg(const std::string& title, const std::string& legend, const Dims& dims,
                     const std::vector<HeldCell>& cells);

// Errors: those of the definition; an array of three dimensions or more, or more than 4,096 elements;
// more than 2^16 places.
absl::StatusOr<std::string> threads_svg(const ThreadLayout& layout);

}  // namespace tileproof::picture

// SPDX-License-Identifier: Apache-2.0
// Draws a layout of threads: each element of the array with the thread and the register, or value,
// that hold it, T3:V1, colored by the thread. A thread counts through all warps of a block. `+1` says
// that one more place holds the element; what nobody holds is hatched.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "spec/lang/layout/thread_layout.h"

namespace tileproof::picture {

// Errors: those of the definition; an array of three dimensions or more, or more than 4,096 elements;
// more than 2^16 places.
absl::StatusOr<std::string> threads_svg(const ThreadLayout& layout);

}  // namespace tileproof::picture

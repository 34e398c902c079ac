// SPDX-License-Identifier: Apache-2.0
// Generators of layouts of threads, as text.
#pragma once

#include <string>

#include "generate/choose/choose.h"

namespace tileproof {

// A tensor of at most a few thousand elements with a layout that is mostly valid: linear, blocked,
// a fragment, or a slice of one, with tiles that wrap, repeat, or fit; or one of CuTe or Mosaic GPU.
std::string random_thread_layout(Choose& choose);

}  // namespace tileproof

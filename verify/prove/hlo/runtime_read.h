// SPDX-License-Identifier: Apache-2.0
// What the evaluation of a path or a map exchanges with its caller: the elements that it reads, and
// where it ends.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/lang/hlo/hlo.h"
#include "spec/layout/layout_steps.h"

namespace tileproof::verify {

// The value of one element, clamped to [low, high].
template <class N>
struct RuntimeRead {
  HloPosition position;
  std::vector<N> index;
  int64_t low = 0;
  int64_t high = 0;
};

template <class N>
struct PathEnd {
  std::vector<N> index;
  spec::Truth<N> in_domain;
};

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// A random program on whole arrays, and the same as each device of a mesh runs it.
//
//     whole     p = f32[4] parameter(0)    n = f32[4] negate(p)    ROOT ..
//     parts     p = f32[2] parameter(0), sharding={mesh['a'=2], [{'a'}]}    n = f32[2] negate(p)
//               g = f32[4] all-gather(n), dimensions={0}, ..    ROOT ..
//
// They compute the same by construction: an operation keeps how its arrays are cut, and collectives move
// elements where the next one needs them. With a fault in the last collective they do not: all elements
// before it differ.
#pragma once

#include <string>

#include "generate/choose/choose.h"

namespace tileproof {

struct PartitionedHlo {
  std::string whole, parts;
  std::string fault = {};  // what is wrong; empty if they are equal
};

// On 2 to 6 devices, with a few hundred elements.
PartitionedHlo generate_partitioned(Choose& choose);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// A module with one collective between several devices.
//
//     HloModule m, replica_count=2, num_partitions=3
//     ENTRY e { p = f32[2] parameter(0)
//       ROOT r = f32[6] all-gather(p), dimensions={0}, channel_id=1, replica_groups={{0,2,1}} }
#pragma once

#include <string>

#include "generate/choose/choose.h"

namespace tileproof {

// The collective is the root. On 2 to 12 devices, with a few dozen elements on each. Groups are in every
// spelling and each of their meanings, regular and not; one in sixteen is wrong: a device too many, or sizes
// for other groups.
std::string generate_collective(Choose& choose);

}  // namespace tileproof

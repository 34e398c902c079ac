// SPDX-License-Identifier: Apache-2.0
// Runs a sweep (conform/run/sweep.h) on a plug-in, in this process.
#pragma once

#include "conform/protocol/protocol.h"
#include "conform/run/sweep.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

// Asks about the layouts of the request until its time is over. Skips layouts beyond the limits.
SweepAnswer sweep(const tileproof_plugin& plugin, const Limits& limits,
                  const SweepRequest& request);

}  // namespace tileproof::conform

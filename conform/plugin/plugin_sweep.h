// The plug-in's side of a sweep (conform/run/sweep.h).
#pragma once

#include "conform/protocol/protocol.h"
#include "conform/run/sweep.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

SweepAnswer sweep(const tileproof_plugin& plugin, const Limits& limits,
                  const SweepRequest& request);

}  // namespace tileproof::conform

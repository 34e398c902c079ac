// The plug-in's side of a sweep (verify/conform/sweep.h).
#pragma once

#include "tileproof/plugin.h"
#include "verify/conform/protocol.h"
#include "verify/conform/sweep.h"

namespace tileproof::conform {

SweepAnswer sweep(const tileproof_plugin& plugin, const Limits& limits,
                  const SweepRequest& request);

}  // namespace tileproof::conform

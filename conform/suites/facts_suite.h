// SPDX-License-Identifier: Apache-2.0
// The requests of the suite `facts`: facts of maps, bank conflicts of
// accesses, and facts of tile grids.
#pragma once

#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

Json make_facts_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform

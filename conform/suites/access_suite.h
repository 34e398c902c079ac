// SPDX-License-Identifier: Apache-2.0
// The requests of the suite `uses`: hlo.utilization and hlo.tile of the modules of the suite `hlo`,
// and a few fixed requests of map.transactions.
#pragma once

#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

Json make_access_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// The requests of the suite `devices`: elements of the parts that devices hold.
#pragma once

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

Json make_devices_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform

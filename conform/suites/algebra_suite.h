// SPDX-License-Identifier: Apache-2.0
// The requests of the suite `algebra`: the operations of the layout algebra of CuTe.
#pragma once

#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

Json make_algebra_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform

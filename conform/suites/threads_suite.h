// SPDX-License-Identifier: Apache-2.0
// The requests of the suite `threads`: who holds an element, and what a place holds.
#pragma once

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

Json make_threads_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform

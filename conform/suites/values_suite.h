// SPDX-License-Identifier: Apache-2.0
// The requests of the suite `values`: a module and another, which may compute the same.
#pragma once

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

Json make_values_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform

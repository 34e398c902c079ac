// SPDX-License-Identifier: Apache-2.0
// What instructions read, as JSON, in the protocol and in answers of tileproof.
#pragma once

#include "conform/protocol/json.h"
#include "impl/access/tile.h"
#include "impl/access/utilization.h"

namespace tileproof::conform {

// One object for each array: {"operand", "leaf", "elements", "least", "most"}. If the elements read
// could not be counted, "uncounted" with the reason replaces "least" and "most".
Json utilization_json(const impl::Utilization& utilization);

// An item of a result of hlo.tile. The positions in "moved" are relative to the computation.
Json tile_json(const HloModule& module, int32_t computation, const impl::TileResult& found);

}  // namespace tileproof::conform

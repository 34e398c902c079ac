// SPDX-License-Identifier: Apache-2.0
// The operations hlo.utilization and hlo.tile of the protocol: how many elements of each operand an
// instruction reads, and which tile of each operand a tile of its result needs.
//
//     {"op":"hlo.utilization","hlo":"s = f32[4] slice(f32[9] p), slice={[0:8:2]}"}
//     {"result":[4]}
//     {"op":"hlo.tile","hlo":"t = f32[3,2] transpose(f32[2,3] p), dimensions={1,0}",
//      "tile":[[1,2,1],[0,1,1]]}
//     {"result":[[[0,1,1],[1,2,1]]]}
//
// Both results have an item for each array of the operands (or of the parameters, by `scope`):
//
//     hlo.utilization   3                        the number of elements read
//                       [1,3]                    the least and the most, if it depends on offsets
//                       "unknown"
//     hlo.tile          [[0,4,1],[2,2,3]]        [offset, size, stride] for each dimension
//                       {"tile":..,"moved":..}   a tile that offsets move
//                       null                     nothing is read
//                       "none"                   the elements read are not a tile
//                       "unknown"
//
// The reference enumerates the elements.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "impl/access/tile.h"
#include "impl/access/utilization.h"

namespace tileproof::conform {

// One object for each array: {"operand", "leaf", "elements", "least", "most"}. If the elements read
// could not be counted, "uncounted" with the reason replaces "least" and "most".
Json utilization_json(const impl::Utilization& utilization);

// An item of a result of hlo.tile. The positions in "moved" are relative to the computation.
Json tile_json(const HloModule& module, int32_t computation, const impl::TileResult& found);

absl::StatusOr<Result> hlo_utilization(const Json& request, Engine engine);
Assessment judge_utilization(const Json& request, const Answer& answer);

absl::StatusOr<Result> hlo_tile(const Json& request, Engine engine);
Assessment judge_tile(const Json& request, const Answer& answer);

}  // namespace tileproof::conform

// The operations hlo.utilization and hlo.tile of the protocol: how many elements of each operand
// are read, and the tiles that a tile needs.
//
//     {"op":"hlo.utilization","hlo":"s = f32[4] slice(f32[9] p), slice={[0:8:2]}"}
//     {"result":[4]}
//     {"op":"hlo.tile","hlo":"t = f32[3,2] transpose(f32[2,3] p), dimensions={1,0}",
//      "tile":[[1,2,1],[0,1,1]]}
//     {"result":[[[0,1,1],[1,2,1]]]}
//
// Both have an item for each array of the operands (or parameters, by `scope`), in order. Of a
// utilization it is a number, [least, most] where it depends on offsets, or "unknown". Of a tile it
// is an array of [offset, size, stride], null where nothing is read, "none" where that is no tile,
// or "unknown"; or {"tile", "moved"} where offsets move it. The reference enumerates.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "impl/access/tile.h"
#include "impl/access/utilization.h"

namespace tileproof::conform {

// By operand, by array: {"operand", "leaf", "least", "most", "elements"}, or with "uncounted".
Json utilization_json(const impl::Utilization& utilization);

// An item of a result as above. Places are as seen from the computation.
Json tile_json(const HloModule& module, int32_t computation, const impl::TileResult& found);

// The text of a tile: "4:4,0:8:2" is 4 elements from 4 on, and 8 from 0 on, every second; "" is the
// tile of an array without dimensions. Errors name --tile, the option that has such a text.
absl::StatusOr<impl::Tile> parse_tile(absl::string_view text);

absl::StatusOr<Result> hlo_utilization(const Json& request, Engine engine);
Assessment judge_utilization(const Json& request, const Answer& answer);

absl::StatusOr<Result> hlo_tile(const Json& request, Engine engine);
Assessment judge_tile(const Json& request, const Answer& answer);

}  // namespace tileproof::conform

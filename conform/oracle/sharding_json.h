// SPDX-License-Identifier: Apache-2.0
// The file of `tileproof equiv --sharding FILE`: how the arrays of a whole program lie on devices.
//
//     {"devices": 8, "mesh": {"axes": ["x", "y"], "shape": [4, 2]},
//      "parameters": [[["x"], ["y"]]], "results": [[[], []]]}
//
// For each leaf of the parameters and of the result, a list of the mesh axes that cut each dimension,
// major first. `[]` is not cut. Device k has the row-major coordinates of k in the mesh. An axis that no
// dimension names holds copies. `"padded": true`, of the file or of a leaf that is written as
// {"axes": [..], "padded": true}, allows sizes that the parts do not divide. A leaf may be the text of HLO,
// which needs no mesh: "{devices=[4,1]<=[4]}".
// docs/equiv.md is the manual.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/sharding.h"
#include "verify/prove/hlo/modules/device_values.h"

namespace tileproof::conform {

// Errors: what is not such a file.
absl::StatusOr<verify::Placement> read_sharding_json(const Json& file);

// The sharding of one array: an object with `devices`, `mesh` and `axes`, as an entry of `parameters`.
absl::StatusOr<Sharding> read_array_sharding(const Json& object);

// A question of shard.index.
struct AskedPart {
  Dims dims;
  Sharding sharding;
  int64_t device = 0;
  std::vector<int64_t> index;  // in the part
};
absl::StatusOr<AskedPart> asked_part(const Json& request);

}  // namespace tileproof::conform

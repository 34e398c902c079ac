// SPDX-License-Identifier: Apache-2.0
// The operation shard.index of the protocol: which element of an array a device holds at an index of
// its part. An extension; the suite `devices` asks it.
//
//     shard.index    sharding (HLO text, or an object with devices, mesh and axes, as an array of
//                    equiv --sharding), shape, device, index; and may have devices, if the text
//                    does not say how many there are
//                    the global index, or null in padding, and where the device holds no part
//
//     {"op":"shard.index","sharding":"{devices=[2,1]<=[2]}","shape":"f32[3,4]","device":1,"index":[0,2]}
//     {"result":[2,2]}
//
// The reference looks at each element of the array; spec/lang/hlo/sharding.h has the closed form.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/sharding.h"

namespace tileproof::conform {

struct AskedPart {
  Dims dims;
  Sharding sharding;
  int64_t device = 0;
  std::vector<int64_t> index;  // in the part
};

absl::StatusOr<AskedPart> asked_part(const Json& request);
absl::StatusOr<Result> shard_index(const Json& request, Engine engine);

}  // namespace tileproof::conform

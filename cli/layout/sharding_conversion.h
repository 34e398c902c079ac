// SPDX-License-Identifier: Apache-2.0
// tileproof layout --sharding TEXT --as SYSTEM: writes a sharding in another notation.
//
//     v1      {devices=[2,2]0,2,1,3}
//     v2      {devices=[2,2]<=[2,2]T(1,0)}
//     mesh    {mesh['a'=2,'b'=2], [{'b'}, {'a'}]}
//     sdy     sdy.mesh @mesh = <["a"=2, "b"=2]>, then #sdy.sharding<@mesh, [{"b"}, {"a"}]>
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "spec/lang/hlo/sharding.h"

namespace tileproof::cli {

// The text is read again, and gives each device the same part. Errors: a name of no notation; a sharding
// that the notation has no text for. NotFound: none of this form was found.
absl::StatusOr<std::string> convert_sharding(const Sharding& sharding, int64_t rank,
                                             const std::string& system);

}  // namespace tileproof::cli

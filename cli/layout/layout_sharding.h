// SPDX-License-Identifier: Apache-2.0
// `tileproof layout SHAPE --sharding TEXT`: which part of an array each device holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/text.h"
#include "spec/lang/hlo/sharding.h"

namespace tileproof::cli {

struct ShardingQuestions {
  std::optional<int64_t> devices = std::nullopt;  // not given: as many as the sharding names
  std::optional<std::string> system =
      std::nullopt;      // the notation to write it in (cli/layout/layout_sharding.h)
  std::string svg = {};  // the file for a picture
};

absl::StatusOr<Answer> explain_sharding(absl::string_view shape, const std::string& sharding,
                                        const ShardingQuestions& asked);

// tileproof layout --sharding TEXT --as SYSTEM: writes a sharding in another notation.
//
//     v1      {devices=[2,2]0,2,1,3}
//     v2      {devices=[2,2]<=[2,2]T(1,0)}
//     mesh    {mesh['a'=2,'b'=2], [{'b'}, {'a'}]}
//     sdy     sdy.mesh @mesh = <["a"=2, "b"=2]>, then #sdy.sharding<@mesh, [{"b"}, {"a"}]>

// The text is read again, and gives each device the same part. Errors: a name of no notation; a sharding
// that the notation has no text for. NotFound: none of this form was found.
absl::StatusOr<std::string> convert_sharding(const Sharding& sharding, int64_t rank,
                                             const std::string& system);

}  // namespace tileproof::cli

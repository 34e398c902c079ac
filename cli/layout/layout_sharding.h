// SPDX-License-Identifier: Apache-2.0
// `tileproof layout SHAPE --sharding TEXT`: which part of an array each device holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/text.h"

namespace tileproof::cli {

struct ShardingQuestions {
  std::optional<int64_t> devices = std::nullopt;  // not given: as many as the sharding names
  std::optional<std::string> system =
      std::nullopt;      // the notation to write it in (cli/layout/sharding_conversion.h)
  std::string svg = {};  // the file for a picture
};

absl::StatusOr<Answer> explain_sharding(absl::string_view shape, const std::string& sharding,
                                        const ShardingQuestions& asked);

}  // namespace tileproof::cli

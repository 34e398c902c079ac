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

// `devices`: how many there are; without it, as many as the sharding names.
absl::StatusOr<Answer> explain_sharding(absl::string_view shape, const std::string& sharding,
                                        std::optional<int64_t> devices);

}  // namespace tileproof::cli

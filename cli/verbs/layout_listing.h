// SPDX-License-Identifier: Apache-2.0
// `layout FILE.hlo`: every layout of a module, with its number of arrays, bytes and padding.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/text.h"

namespace tileproof::cli {

absl::StatusOr<Answer> list_layouts(const std::string& file);

}  // namespace tileproof::cli

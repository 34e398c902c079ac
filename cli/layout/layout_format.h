// SPDX-License-Identifier: Apache-2.0
// tileproof layout --format: the layout that a named format chooses for a shape, and why.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/text.h"

namespace tileproof::cli {

// `text` is a shape.
absl::StatusOr<Answer> choose_layout(const std::string& format, const std::string& text);

}  // namespace tileproof::cli

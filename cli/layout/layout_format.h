// SPDX-License-Identifier: Apache-2.0
// tileproof layout --format: the layout that a named format chooses for a shape, and why.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::cli {

// `text` is a shape. Returns the exit status.
int choose_layout(const std::string& format, absl::string_view text, bool json);

}  // namespace tileproof::cli

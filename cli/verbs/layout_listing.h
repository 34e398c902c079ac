// SPDX-License-Identifier: Apache-2.0
// `layout FILE.hlo`: every layout of a module, with its number of arrays, bytes and padding.
#pragma once

#include <string>

namespace tileproof::cli {

// Returns the exit status.
int list_layouts(const std::string& file, bool json);

}  // namespace tileproof::cli

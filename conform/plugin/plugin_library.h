// SPDX-License-Identifier: Apache-2.0
// Loads a shared library that implements include/tileproof/plugin.h into this process.
//
//     const absl::StatusOr<tileproof_plugin> plugin = load_plugin("./plugin.so");
//
// The library may crash, hang or end the process, so load it in a child process.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

// Returns the library's table. Functions that are newer than the library are null. The library
// stays loaded. Errors: no such library, no tileproof_plugin_table, another version.
absl::StatusOr<tileproof_plugin> load_plugin(const std::string& path);

}  // namespace tileproof::conform

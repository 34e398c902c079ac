// A shared library that offers include/tileproof/plugin.h, loaded into this process: which is to be
// a child, as nothing keeps it from crashing, hanging or ending it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tileproof/plugin.h"

namespace tileproof::conform {

// Its table; functions that the library does not know are null. It stays loaded. Errors: no such
// library, no tileproof_plugin_table, another version.
absl::StatusOr<tileproof_plugin> load_plugin(const std::string& path);

}  // namespace tileproof::conform

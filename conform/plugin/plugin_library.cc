// SPDX-License-Identifier: Apache-2.0
#include "conform/plugin/plugin_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tileproof::conform {

absl::StatusOr<tileproof_plugin> load_plugin(const std::string& path) {
  const auto refuse = [&path](const auto&... why) {
    return absl::InvalidArgumentError(absl::StrCat("cannot load ", path, ": ", why...));
  };
  // The path needs a slash; otherwise dlopen searches the system's libraries.
  const std::string file = std::filesystem::absolute(path).string();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(::dlerror());
  void* symbol = ::dlsym(library, "tileproof_plugin_table");
  if (symbol == nullptr) {
    return refuse("expected it to export tileproof_plugin_table (tileproof/plugin.h)");
  }
  const auto get = reinterpret_cast<decltype(&tileproof_plugin_table)>(symbol);
  const tileproof_plugin* given = get();
  if (given == nullptr) return refuse("tileproof_plugin_table() returned null");
  if (given->version != TILEPROOF_PLUGIN_VERSION) {
    return refuse("expected version ", TILEPROOF_PLUGIN_VERSION, " of tileproof/plugin.h, found ",
                  given->version);
  }
  constexpr int64_t least = offsetof(tileproof_plugin, layout_physical);
  if (given->size < least || given->max_rank < 0 || given->max_tiles < 0 || given->bits < 0) {
    return refuse("expected size to be sizeof(tileproof_plugin) and limits of at least 0");
  }
  tileproof_plugin table = {};
  const auto whole = static_cast<int64_t>(sizeof table);
  std::memcpy(&table, given, static_cast<size_t>(std::min(given->size, whole)));
  return table;
}

}  // namespace tileproof::conform

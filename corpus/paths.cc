// SPDX-License-Identifier: Apache-2.0
#include "corpus/paths.h"

namespace tileproof {

std::string project_path(absl::string_view path) {
  return TILEPROOF_PROJECT "/" + std::string(path);
}

std::string build_path(absl::string_view path) { return TILEPROOF_BUILD "/" + std::string(path); }

}  // namespace tileproof

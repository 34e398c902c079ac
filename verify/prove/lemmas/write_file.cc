// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/lemmas/write_file.h"

#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace tileproof::lemmas {

absl::Status write_file(const std::filesystem::path& path, absl::string_view text) {
  std::error_code error;  // what it tells, opening the file tells again
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path.string(), ": cannot be written"));
}

}  // namespace tileproof::lemmas

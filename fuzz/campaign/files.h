// SPDX-License-Identifier: Apache-2.0
// Files of a campaign. A process that is killed while writing leaves the old file or the new one,
// never a part of one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::campaign {

// Returns the content of a regular file. Errors: no such file; an unreadable file; not a regular
// file (reading a pipe would block).
absl::StatusOr<std::string> read_file(const std::filesystem::path& path);

// Replaces a file: writes a temporary file beside it and renames it.
absl::Status write_file(const std::filesystem::path& path, absl::string_view content);

absl::Status make_folder(const std::filesystem::path& path);

// Return the folders, and all else, that a folder holds, sorted by name; nothing if there is no folder.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder);
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// A lock that one process holds at a time. It is released when the process ends, however it ends.
// Taking it fails after two seconds; the error names the folder and the process that holds it.
class Lock {
 public:
  static absl::StatusOr<Lock> take(const std::filesystem::path& folder);
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&&) = delete;
  ~Lock();

 private:
  explicit Lock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace tileproof::campaign

// Files of a campaign: whoever is killed in the middle leaves the old file or the new one, never a
// part of one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::campaign {

// The content of a regular file. Errors: there is none, it cannot be read, it is no regular file (a
// pipe would be waited for).
absl::StatusOr<std::string> read_file(const std::filesystem::path& path);

// Replaces a file: a temporary one beside it is written, brought to the disk (where `durable`: so
// that it outlives a power cut, too), and renamed.
absl::Status write_file(const std::filesystem::path& path, absl::string_view content,
                        bool durable = true);

absl::Status make_folder(const std::filesystem::path& path);

// The files of a folder, by name; nothing where there is no folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// Held by one process at a time, and by none once that is gone, however it ended. An error, after
// two seconds, names the folder and the process that holds it.
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

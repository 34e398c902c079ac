// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/parts.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;

absl::Status failed(absl::string_view what, const fs::path& path, int error) {
  const std::string text =
      absl::StrCat("cannot ", what, " ", path.string(), ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(text) : absl::UnavailableError(text);
}

std::vector<fs::path> entries_of(const fs::path& folder, bool folders) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code unknown;
    if (at->is_directory(unknown) == folders) entries.push_back(at->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

absl::StatusOr<std::string> read_file(const fs::path& path) {
  std::error_code unknown;
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown)) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot read ", path.string(), ": not a regular file"));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return failed("read", path, errno);
  std::string content(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return failed("read", path, errno);
  return content;
}

absl::Status write_file(const fs::path& path, absl::string_view content) {
  const fs::path part = path.parent_path() / absl::StrCat(".part-", path.filename().string());
  std::ofstream file(part, std::ios::binary);
  if (!file) return failed("write", path, errno);
  file << content << std::flush;
  if (file && ::rename(part.c_str(), path.c_str()) == 0) return absl::OkStatus();
  const int error = errno;
  ::unlink(part.c_str());
  return failed("write", path, error);
}

absl::Status make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && fs::is_directory(path, error)) return absl::OkStatus();
  return failed("make the folder", path, error ? error.value() : ENOTDIR);
}

std::vector<fs::path> folders_in(const fs::path& folder) { return entries_of(folder, true); }
std::vector<fs::path> files_in(const fs::path& folder) { return entries_of(folder, false); }

absl::StatusOr<Lock> Lock::take(const fs::path& folder) {
  const fs::path path = folder / "lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return failed("write", path, errno);
  // If a campaign is killed while it starts a program, that program holds the lock for a moment.
  bool taken = false;
  for (int tries = 0; tries < 40 && !taken; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    taken = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  }
  if (!taken) {
    const std::string holder(
        absl::StripAsciiWhitespace(read_file(path).value_or("of another machine")));
    ::close(fd);
    return absl::UnavailableError(
        absl::StrCat(folder.string(), " is used by another campaign, process ", holder));
  }
  // Only for the error message of other campaigns; so ignore a full disk.
  const std::string self = absl::StrCat(::getpid(), "\n");
  if (::ftruncate(fd, 0) == 0) (void)!::write(fd, self.data(), self.size());
  return Lock(fd);
}

Lock::Lock(Lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Lock::~Lock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace tileproof::campaign

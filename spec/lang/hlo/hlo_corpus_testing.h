// SPDX-License-Identifier: Apache-2.0
// For tests: the HLO files of a folder and their text.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "gtest/gtest.h"

namespace tileproof {

// Returns all files *.hlo below the folder, in alphabetical order.
inline std::vector<std::filesystem::path> hlo_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

// The optional modules of the shared folder, unpacked by this program of CMake into a folder that the
// caller deletes; nothing if they are not there.
inline std::optional<std::filesystem::path> unpacked_shared_hlo(const std::string& cmake) {
  namespace fs = std::filesystem;
  const fs::path archive = fs::absolute(project_path("../shared/data/hlo.tar.xz"));
  if (!fs::exists(archive)) return std::nullopt;
  const fs::path folder =
      fs::path(::testing::TempDir()) / absl::StrCat("tileproof_shared_hlo_", ::getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string command = absl::StrCat("cd '", folder.string(), "' && '", cmake,
                                           "' -E tar xf '", archive.string(), "'");
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return folder;
}

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// What tests read from files of the project.
//
//     for (const std::string& line : project_lines("corpus/maps/slow.txt")) ..
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "corpus/paths.h"

namespace tileproof {

// The whole file; "" if there is none.
inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline std::string project_text(absl::string_view path) { return file_text(project_path(path)); }

// Its lines, but those that are empty or comments: with '#' or "//" in front.
inline std::vector<std::string> project_lines(absl::string_view path) {
  std::ifstream file(project_path(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#' && !absl::StartsWith(line, "//")) lines.push_back(line);
  }
  return lines;
}

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Writes a text that a proof leaves for others: a question for a solver, a proof for Coq.
#pragma once

#include <filesystem>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tileproof::lemmas {

// Makes the folders of the path and replaces the file. Error: UNAVAILABLE, "PATH: cannot be
// written".
//
//     write_file("out/questions/1.smt2", "(check-sat)\n")
absl::Status write_file(const std::filesystem::path& path, absl::string_view text);

}  // namespace tileproof::lemmas

// SPDX-License-Identifier: Apache-2.0
// Proven questions that outlive a process: one file for each in a directory.
//
// The key is the whole text of the question, which a file repeats. A file answers only if its format
// is this one, its checksum is right, and its question is the same, letter by letter. Any other file
// counts as missing, so a damaged or foreign file costs a proof and never gives one. What is not
// checked: that whoever wrote the file had proven it (docs/trust.md).
//
//     tileproof proof cache 1
//     9f0c1d7e5b8a6a31          checksum of all that follows
//     6 57                      lengths of the answer and the question
//     proven                    the answer
//     map 1 ..                  the question, which begins with its kind and the version of its text
//
// Only what is proven is kept. Several processes and threads may use one directory.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tileproof::verify {

class ProofCache {
 public:
  // An empty name: a cache that knows nothing and keeps nothing. Else the directory must exist.
  explicit ProofCache(std::string directory = "") : directory_(std::move(directory)) {}

  bool is_used() const { return !directory_.empty(); }
  // The answer that was kept with this question.
  std::optional<std::string> find(absl::string_view question) const;
  // Keeps it, for others too. If the file cannot be written, it is not kept.
  void keep(absl::string_view question, absl::string_view answer) const;

 private:
  std::string file_of(absl::string_view question) const;

  std::string directory_;
};

}  // namespace tileproof::verify

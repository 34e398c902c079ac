// SPDX-License-Identifier: Apache-2.0
// The folder of a target in the folder of a campaign:
//
//     seeds/        inputs from the corpus, rewritten by every campaign
//     dictionary    their words
//     kept/         inputs that reach new coverage; libFuzzer adds to it
//     found/        inputs that fail, as libFuzzer wrote them
//     findings/     one input of each cause, minimized
//     regressions/  the same in the form of corpus/, with the line that replays it
//     aside/        unreadable inputs, and inputs that do not fail when replayed
//     scratch/      for processes that run now
//
// Nothing here stops a campaign. A failure becomes a note of one line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

using Notes = std::vector<std::string>;

// Makes the folders, completes an interrupted replace_kept, moves unreadable inputs aside, and
// writes seeds and dictionary. Leaves out seeds whose content is in `without`.
void prepare(const Target& target, const std::filesystem::path& folder,
             const std::filesystem::path& corpus, const std::vector<std::string>& without,
             Notes& notes);

// Replaces kept/ by the inputs of `merged`. If it is killed in between, prepare() completes it.
void replace_kept(const std::filesystem::path& folder, const std::filesystem::path& merged,
                  Notes& notes);

// Removes inputs with this content from seeds/ and kept/, so that the next run gets past it.
// Returns how many it removed.
int64_t remove_input(const std::filesystem::path& folder, const std::string& content);

int64_t count_files(const std::filesystem::path& folder);

}  // namespace tileproof::campaign

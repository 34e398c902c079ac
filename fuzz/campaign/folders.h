// The folder of a target within that of a campaign:
//
//     seeds/        inputs from the corpus, written anew by every campaign
//     dictionary    their words
//     kept/         inputs that reach something; libFuzzer adds to it
//     found/        inputs that fail, as libFuzzer wrote them
//     findings/     one input of each cause, as small as it could be made
//     regressions/  the same in the form of corpus/, with the line that replays it
//     aside/        inputs that could not be read, or that do not fail when they are run again
//     scratch/      of runs that are on
//
// Nothing here stops a campaign: what went wrong is a note, one line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

using Notes = std::vector<std::string>;

// Makes them, ends what a killed campaign had begun, moves unreadable inputs aside, and writes
// seeds and dictionary; seeds whose content is in `without` are left out.
void prepare(const Target& target, const std::filesystem::path& folder,
             const std::filesystem::path& corpus, const std::vector<std::string>& without,
             Notes& notes);

// Puts the inputs of `merged` in the place of kept/. Killed in between, prepare() ends it.
void replace_kept(const std::filesystem::path& folder, const std::filesystem::path& merged,
                  Notes& notes);

// Removes what has this content from seeds/ and kept/, so that the next run gets past it. How
// many there were.
int64_t remove_input(const std::filesystem::path& folder, const std::string& content);

int64_t count_files(const std::filesystem::path& folder);

}  // namespace tileproof::campaign

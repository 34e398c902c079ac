// SPDX-License-Identifier: Apache-2.0
// Reports of a campaign: text, JSON, or one HTML page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "conform/protocol/json.h"
#include "fuzz/campaign/campaign.h"

namespace tileproof::campaign {

// "41s", "12m03s", "3h20m".
std::string time_text(int64_t milliseconds);

// A line for a terminal:
// "12m03s left, 9203112 runs, 35112/s, 12345 features (+93), 41 new inputs, 1 finding: map_equal"
std::string to_text(const Progress& progress);

// Returns the line that replays the input of a finding, and the file that has it as a regression.
std::string replay_line(const Options& options, const Finding& finding);
std::filesystem::path regression_file(const Options& options, const Target& target,
                                      const std::string& key);

// Returns a line for each target, the findings with the lines that replay them, the notes, and
// "campaign in FOLDER: 32256 runs in 20s, nothing found".
std::string to_text(const Summary& summary, const Options& options);

// The schema is in docs/fuzzing.md.
conform::Json to_json(const Summary& summary, const Options& options);

// Returns the text as a self-contained page.
std::string to_html(const Summary& summary, const Options& options);

}  // namespace tileproof::campaign

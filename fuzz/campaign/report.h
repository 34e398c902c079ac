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
                                      const Finding& finding);

// Returns the findings with the lines that replay them, and the notes; "" if there are none.
std::string findings_text(const Summary& summary, const Options& options);

// "campaign 2 in FOLDER: 32256 runs in 20s, nothing found"
std::string outcome_text(const Summary& summary, const Options& options);

// Returns a line for each target, then the two texts above.
std::string to_text(const Summary& summary, const Options& options);

// The schema is in docs/fuzzing.md.
conform::Json to_json(const Summary& summary, const Options& options);

// Returns a self-contained page: outcome, findings, and for each target its numbers and a plot of
// its coverage over the time of all campaigns.
std::string to_html(const Summary& summary, const Options& options);

}  // namespace tileproof::campaign

// A campaign told: as text, as JSON, as one HTML page.
#pragma once

#include <cstdint>
#include <string>

#include "fuzz/campaign/campaign.h"
#include "verify/conform/json.h"

namespace tileproof::campaign {

// "41s", "12m03s", "3h20m".
std::string time_text(int64_t milliseconds);

// A line for a terminal:
// "12m03s left, 9203112 runs, 35112/s, 12345 edges (+93), 41 new inputs, 1 finding: map_equal"
std::string to_text(const Progress& progress);

// A line for each target, the findings with the lines that replay them, and what went wrong.
std::string to_text(const Summary& summary, const Options& options);

// The schema is in docs/fuzzing.md.
conform::Json to_json(const Summary& summary, const Options& options);

// Self-contained: the same, and for each target a picture of its coverage over the time of all
// campaigns.
std::string to_html(const Summary& summary, const Options& options);

}  // namespace tileproof::campaign

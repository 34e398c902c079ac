// The record of a campaign that runs in chunks, so that one that was stopped goes on where it was.
//
// A text file with one line a finished chunk; lines of several campaigns may stand in one file:
//
//     simplify seed 1, cases 0 to 99999: 12345678 points, 0 refused, 0 failures
//
// A chunk is on record only when it is done: killed in the middle, it is run again.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::verify {

struct CampaignCheckpoint {
  std::string path;      // no record is kept where it is empty
  std::string campaign;  // "simplify"
  uint64_t seed = 1;
};

// The first case that no recorded chunk of this campaign and seed has; cases are done in order. A
// file that is not there is an empty record. Errors: a line that is none of a record.
absl::StatusOr<int64_t> first_open_case(const CampaignCheckpoint& record);

// Appends the line of a chunk: cases first to first + count - 1.
absl::Status append_chunk(const CampaignCheckpoint& record, int64_t first, int64_t count,
                          absl::string_view result);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// The record of a campaign that runs in chunks. A campaign that was stopped goes on from its
// record.
//
// The record is a text file with one line for each finished chunk. Several campaigns can share a
// file:
//
//     simplify seed 1, cases 0 to 99999: 12345678 points, 0 refused, 0 failures
//
// A chunk is recorded only when it is done. A chunk that was killed in the middle runs again.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::verify {

struct CampaignCheckpoint {
  std::string path;      // "": keep no record
  std::string campaign;  // "simplify"
  uint64_t seed = 1;
};

// Returns the first case that no recorded chunk of this campaign and seed has; cases run in order.
// A missing file is an empty record. Errors: a line that does not have the form above.
absl::StatusOr<int64_t> first_open_case(const CampaignCheckpoint& record);

// Appends the line of a chunk: cases first to first + count - 1.
absl::Status append_chunk(const CampaignCheckpoint& record, int64_t first, int64_t count,
                          absl::string_view result);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Merges the reports of all shards of a run (`conform --json --shard I/N`) into one report.
//
//     shard 0/2   "ops":{"map.simplify":{"pass":9}},            "status":0
//     shard 1/2   "ops":{"map.simplify":{"pass":7,"wrong":1}},  "status":1
//     merged      "ops":{"map.simplify":{"pass":16,"wrong":1}}, "status":1
//
// Counts are added, and lists of failures and notes are joined. The statuses of the shards do not
// determine the merged status: an expected failure that passes in one shard may fail in another,
// and a shard that checked nothing does not matter if another one did.
//
// All reports must have the same command, program name and version, seed and number of shards, and
// each shard must be there once.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

struct NamedReport {
  std::string name;  // the name of its file, for errors
  std::string text;
};

// Returns an object of the same schema (docs/protocol.md). Errors name the file that is not a
// report, the file that does not fit the others, or the missing shard.
absl::StatusOr<Json> merge_reports(const std::vector<NamedReport>& reports);

// The merged report as text: failures, counts by operation, and each operation that was not asked,
// with the reason.
std::string merged_text(const Json& merged);

}  // namespace tileproof::conform

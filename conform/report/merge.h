// Reports of shards, as `conform --json` prints them, made one.
//
// Counts are added, failures and notes are listed together, and the status is that of the whole: an
// operation that was expected to fail and passes in one shard may fail in another one, and a shard
// where nothing was checked does not matter beside others. Only shards of one run fit together: of
// the same program, seed, version and number of shards, each there once.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/protocol/json.h"

namespace tileproof::conform {

struct NamedReport {
  std::string name;  // of its file, for errors
  std::string text;
};

// One object of the same schema (docs/protocol.md). Errors name the file: it holds no report, or
// one that does not fit; or the shards that are missing.
absl::StatusOr<Json> merge_reports(const std::vector<NamedReport>& reports);

// For people: failures, counts by operation, what was left out and why.
std::string merged_text(const Json& merged);

}  // namespace tileproof::conform

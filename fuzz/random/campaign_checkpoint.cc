// SPDX-License-Identifier: Apache-2.0
#include "fuzz/random/campaign_checkpoint.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tileproof::verify {

absl::StatusOr<int64_t> first_open_case(const CampaignCheckpoint& record) {
  int64_t open = 0, number = 0;
  std::ifstream file(record.path);
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    // NAME seed SEED, cases FIRST to LAST: ..
    const std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar(" ,:"));
    uint64_t seed = 0;
    int64_t first = 0, last = 0;
    if (words.size() < 8 || words[1] != "seed" || !absl::SimpleAtoi(words[2], &seed) ||
        words[4] != "cases" || !absl::SimpleAtoi(words[5], &first) || words[6] != "to" ||
        !absl::SimpleAtoi(words[7], &last) || last < first) {
      return absl::InvalidArgumentError(
          absl::StrCat(record.path, ":", number,
                       ": expected NAME seed SEED, cases FIRST to LAST: .., found ", line));
    }
    if (words[0] == record.campaign && seed == record.seed && first <= open) {
      open = std::max(open, last + 1);
    }
  }
  return open;
}

absl::Status append_chunk(const CampaignCheckpoint& record, int64_t first, int64_t count,
                          absl::string_view result) {
  if (record.path.empty()) return absl::OkStatus();
  std::ofstream file(record.path, std::ios::app);
  file << record.campaign << " seed " << record.seed << ", cases " << first << " to "
       << first + count - 1 << ": " << result << "\n"
       << std::flush;
  if (!file) return absl::UnavailableError(absl::StrCat(record.path, ": cannot append"));
  return absl::OkStatus();
}

}  // namespace tileproof::verify

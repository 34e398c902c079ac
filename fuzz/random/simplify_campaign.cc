// SPDX-License-Identifier: Apache-2.0
// Simplifies many random maps and checks each with the reference:
//
//     simplify_campaign COUNT [--seed SEED] [--record FILE]
//
// A seed and a number always give the same map. With a record, which has one line for each hundred
// thousand maps, a campaign goes on where it was stopped (fuzz/random/campaign_checkpoint.h).
// Prints one line for each failure and a summary. Exits with 1 if anything failed, and with 2 if
// nothing was checked or the command line is wrong.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "fuzz/random/campaign_checkpoint.h"
#include "generate/map/generate_map.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/map_compare.h"

namespace tileproof::verify {
namespace {

struct Tally {
  int64_t maps = 0;
  int64_t points = 0;
  int64_t inside = 0;   // in the domain
  int64_t skipped = 0;  // points at which the map has no 64-bit value
  int64_t refused = 0;
  int64_t failures = 0;
};

void add(Tally& sum, const Tally& part) {
  sum.maps += part.maps;
  sum.points += part.points;
  sum.inside += part.inside;
  sum.skipped += part.skipped;
  sum.refused += part.refused;
  sum.failures += part.failures;
}

std::string to_text(const Tally& tally) {
  return absl::StrCat(tally.maps, " maps, ", tally.points, " points (", tally.inside, " inside, ",
                      tally.skipped, " without an answer), ", tally.refused, " refused, ",
                      tally.failures, " failures");
}

void run_one(uint64_t seed, int64_t number, Tally& tally) {
  Choose choose(Choose::Random{seed * 1'000'000'007 + static_cast<uint64_t>(number)});
  const IndexingMap map = number % 8 == 7 ? generate_chain(choose, {.points = 256}).map
                                          : generate_map(choose, {.points = 256});
  ++tally.maps;
  const absl::StatusOr<IndexingMap> simplified = impl::simplify(map);
  if (!simplified.ok()) {
    ++tally.refused;
    std::printf("refused: %s  %s\n", tileproof::to_text(map).c_str(),
                simplified.status().ToString().c_str());
    return;
  }
  const MapComparison compared = judge_simplified(map, *simplified, 1 << 16);
  tally.points += compared.points;
  tally.inside += compared.inside;
  tally.skipped += compared.skipped;
  if (compared.difference.empty()) return;
  ++tally.failures;
  std::printf("wrong: %s\n  -> %s\n  %s\n", tileproof::to_text(map).c_str(),
              tileproof::to_text(*simplified).c_str(), compared.difference.c_str());
}

// Runs all chunks from the first open case on.
absl::Status run(const CampaignCheckpoint& record, int64_t count, Tally& all) {
  constexpr int64_t kChunk = 100'000;
  int64_t first = TRY(first_open_case(record));
  for (; first < count; first += kChunk) {
    Tally chunk;
    const int64_t cases = std::min(kChunk, count - first);
    for (int64_t i = 0; i < cases; ++i) run_one(record.seed, first + i, chunk);
    std::fflush(stdout);
    add(all, chunk);
    TRY(append_chunk(record, first, cases, to_text(chunk)));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tileproof::verify

int main(int argc, char** argv) {
  using namespace tileproof::verify;
  CLI::App app("Simplifies random maps and checks each with the reference.");
  int64_t count = 0;
  CampaignCheckpoint record{"", "simplify", 1};
  app.add_option("COUNT", count, "number of maps, including those on record")->required();
  app.add_option("--seed", record.seed, "seed of the maps");
  app.add_option("--record", record.path, "file with a line for each finished chunk");
  CLI11_PARSE(app, argc, argv);
  Tally tally;
  const absl::Status status = run(record, count, tally);
  std::printf("%s\n", to_text(tally).c_str());
  if (!status.ok()) std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  if (tally.failures + tally.refused > 0) return 1;
  return status.ok() && tally.points > 0 ? 0 : 2;
}

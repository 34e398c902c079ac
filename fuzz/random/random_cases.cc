// SPDX-License-Identifier: Apache-2.0
// Checks a property (verify/properties) on as many random inputs as wanted:
//
//     random_cases PROPERTY COUNT [--seed SEED] [--record FILE]
//
// A seed and a number always give the same case. With a record, which has one line for each hundred
// thousand cases, a run goes on where it was stopped (fuzz/random/campaign_checkpoint.h). Prints the
// first findings, and how often each kind of result occurred. Exits with 1 if there is a finding,
// and with 2 if nothing was checked or the command line is wrong.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/random/campaign_checkpoint.h"
#include "spec/lang/base/try.h"
#include "verify/properties/property.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kChunk = 100'000, kShown = 10;

std::string to_text(const CaseCounts& tally) {
  return absl::StrJoin(tally, ", ", [](std::string* out, const auto& count) {
    absl::StrAppend(out, count.second, " ", count.first);
  });
}

void check_one(const Property& property, uint64_t seed, int64_t number, CaseCounts& tally) {
  const auto of_seed = static_cast<int64_t>((seed * 1'000'000'007) >> 1);
  const std::string found = check_case(property, of_seed + number, tally);
  ++tally["cases"];
  if (found.empty()) return;
  if (!property.holds) {
    ++tally["that prove nothing"];
  } else if (++tally["findings"] <= kShown) {
    std::printf("case %ld: %s\n", number, found.c_str());
  }
}

// Runs all chunks from the first open case on.
absl::Status run(const Property& property, const CampaignCheckpoint& record, int64_t count,
                 CaseCounts& all) {
  int64_t first = TRY(first_open_case(record));
  for (; first < count; first += kChunk) {
    CaseCounts chunk;
    const int64_t cases = std::min(kChunk, count - first);
    for (int64_t i = 0; i < cases; ++i) check_one(property, record.seed, first + i, chunk);
    std::fflush(stdout);
    for (const auto& [kind, times] : chunk) all[kind] += times;
    std::fprintf(stderr, "%ld cases: %ld findings\n", all["cases"], all["findings"]);
    TRY(append_chunk(record, first, cases, to_text(chunk)));
  }
  return absl::OkStatus();
}

// Errors: there is no endless property of this name.
absl::StatusOr<Property> property_named(const std::string& name) {
  std::vector<std::string> names;
  for (const std::vector<Property>& some : {all_properties(), proof_properties()}) {
    for (const Property& one : some) {
      if (!one.endless) continue;
      if (one.name == name) return one;
      names.push_back(one.name);
    }
  }
  return absl::NotFoundError(
      absl::StrCat("expected a property (", absl::StrJoin(names, ", "), "), found ", name));
}

absl::StatusOr<int> run_named(const CampaignCheckpoint& record, int64_t count) {
  const Property property = TRY(property_named(record.campaign));
  CaseCounts tally;
  TRY(run(property, record, count, tally));
  const int64_t cases = std::exchange(tally["cases"], 0);
  const int64_t findings = std::exchange(tally["findings"], 0);
  std::printf("%ld cases of %s: %ld findings\n", cases, property.name.c_str(), findings);
  for (const auto& [kind, times] : tally)
    if (times > 0) std::printf("  %s: %ld\n", kind.c_str(), times);
  return findings > 0 ? 1 : cases > 0 ? 0 : 2;
}

}  // namespace
}  // namespace tileproof::verify

int main(int argc, char** argv) {
  using namespace tileproof::verify;
  CLI::App app("Checks a property on random inputs.");
  int64_t count = 0;
  CampaignCheckpoint record{"", "", 0};
  app.add_option("PROPERTY", record.campaign, "its name, such as simplify")->required();
  app.add_option("COUNT", count, "number of cases, including those on record")->required();
  app.add_option("--seed", record.seed, "seed of the cases");
  app.add_option("--record", record.path, "file with a line for each finished chunk");
  CLI11_PARSE(app, argc, argv);
  const auto status = run_named(record, count);
  if (status.ok()) return *status;
  std::fprintf(stderr, "random_cases: %s\n", std::string(status.status().message()).c_str());
  return 2;
}

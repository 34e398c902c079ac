// SPDX-License-Identifier: Apache-2.0
// Compares the access analyses with the reference on many random operations and computations.
// Prints how often each kind of result occurred, and the first differences. Exits with 1 if there
// are any.
//
//     access_campaign utilization|tiles|moves|coalescing|images|banks COUNT [SEED]
//
// For utilization, tiles and coalescing, odd seeds make computations and even ones operations. For
// images, each case is a union of random maps; for banks, an access of a layout; for moves, a reshape, transpose or bitcast of
// layouts.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/compare/banks_compare.h"
#include "verify/compare/coalescing_compare.h"
#include "verify/compare/image_compare.h"
#include "verify/compare/tile_compare.h"
#include "verify/compare/utilization_compare.h"
#include "verify/prove/layout/is_bitcast_compare.h"

namespace tileproof::verify {
namespace {

struct Tally {
  int64_t cases = 0, failures = 0;
  std::map<std::string, int64_t> counts;

  // Counts arrays without an answer, and the last reason.
  void add(const char* kind, int64_t count, const std::string& because) {
    counts[kind] += count;
    if (count > 0) ++counts["  " + because];
  }

  void fail(uint64_t seed, const std::string& difference, const std::string& text) {
    if (++failures > 10) return;
    std::printf("seed %lu: %s\n%s\n", static_cast<unsigned long>(seed), difference.c_str(),
                text.c_str());
  }
};

struct Case {
  HloModule module;
  std::string text;
  uint64_t seed_of_values;
  int32_t root;  // root of the entry computation
};

std::optional<Case> random_case(uint64_t seed, Choose& choose, Tally& tally) {
  const GeneratedHlo hlo =
      seed % 2 == 0 ? generate_operation(choose) : generate_computation(choose);
  absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) {
    tally.fail(seed, std::string(module.status().message()), hlo.text);
    return std::nullopt;
  }
  const int32_t root = module->computations[module->entry].root;
  return Case{*std::move(module), hlo.text, hlo.seed, root};
}

void run_utilization(uint64_t seed, Tally& tally) {
  Choose choose(Choose::Random{seed});
  const std::optional<Case> random = random_case(seed, choose, tally);
  if (!random) return;
  for (const spec::Scope scope : {spec::Scope::kInstruction, spec::Scope::kComputation}) {
    const UtilizationComparison found = compare_utilization(
        random->module, random->module.entry, random->root, scope, random->seed_of_values);
    tally.counts["arrays equal"] += found.equal;
    tally.counts["arrays within"] += found.within;
    tally.counts["arrays of a superset"] += found.superset;
    tally.add("arrays not counted", found.uncounted, found.uncounted_because);
    tally.counts["refused"] += found.refused;
    if (!found.difference.empty()) tally.fail(seed, found.difference, random->text);
  }
}

void run_tiles(uint64_t seed, Tally& tally) {
  Choose choose(Choose::Random{seed});
  const std::optional<Case> random = random_case(seed, choose, tally);
  if (!random) return;
  for (int i = 0; i < 4; ++i) {
    const TileComparison found =
        compare_tiles(random->module, random->module.entry, random->root, choose);
    tally.counts["the same tile"] += found.tiles;
    tally.counts["nothing"] += found.nothing;
    tally.counts["no tile"] += found.none;
    tally.counts["of a superset"] += found.superset;
    tally.add("unknown", found.unknown, found.unknown_because);
    tally.counts["refused"] += found.refused;
    if (!found.difference.empty()) tally.fail(seed, found.difference, random->text);
  }
}

void run_images(uint64_t seed, Tally& tally) {
  Choose choose(Choose::Random{seed});
  const ImageComparison found = compare_images(choose);
  tally.counts["skipped: values of more than 40 bits, errors"] += found.skipped;
  tally.counts["not counted"] += found.uncounted;
  tally.counts["elements"] += found.elements;
  if (!found.difference.empty()) tally.fail(seed, found.difference, "");
}

void run_banks(uint64_t seed, Tally& tally) {
  Choose choose(Choose::Random{seed});
  const BanksComparison found = compare_banks(random_banks_question(choose));
  tally.counts["phases"] += found.phases;
  tally.counts["phases of several ways"] += found.conflicts;
  tally.counts["not counted"] += found.uncounted ? 1 : 0;
  tally.counts["refused"] += found.refused ? 1 : 0;
  if (!found.difference.empty()) tally.fail(seed, found.difference, "");
}

void run_moves(uint64_t seed, Tally& tally) {
  Choose choose(Choose::Random{seed});
  const IsBitcastComparison found = compare_is_bitcast(choose);
  tally.counts["free"] += found.free;
  tally.counts["not free"] += found.moved;
  if (!found.difference.empty()) tally.fail(seed, found.difference, "");
}

void run_coalescing(uint64_t seed, Tally& tally) {
  Choose choose(Choose::Random{seed});
  const std::optional<Case> random = random_case(seed, choose, tally);
  if (!random) return;
  const CoalescingComparison found =
      compare_coalescing(random->module, random->module.entry, random->root, choose);
  tally.counts["maps equal"] += found.equal;
  tally.counts["accesses"] += found.accesses;
  tally.add("maps not counted", found.uncounted, found.uncounted_because);
  tally.counts["maps skipped: offsets, too large"] += found.skipped;
  if (!found.difference.empty()) tally.fail(seed, found.difference, random->text);
}

}  // namespace
}  // namespace tileproof::verify

int main(int argc, char** argv) {
  using tileproof::verify::Tally;
  const std::map<std::string, std::function<void(uint64_t, Tally&)>> runs = {
      {"coalescing", tileproof::verify::run_coalescing},
      {"images", tileproof::verify::run_images},
      {"moves", tileproof::verify::run_moves},
      {"tiles", tileproof::verify::run_tiles},
      {"utilization", tileproof::verify::run_utilization}};
  const auto run = runs.find(argc > 1 ? argv[1] : "");
  if (argc < 3 || run == runs.end()) {
    std::fprintf(
        stderr,
        "usage: access_campaign utilization|tiles|moves|coalescing|images|banks COUNT [SEED]\n");
    return 2;
  }
  const int64_t count = std::atoll(argv[2]);
  const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  Tally tally;
  for (int64_t i = 0; i < count; ++i) {
    run->second(seed + i, tally);
    if (++tally.cases % 10000 == 0)
      std::fprintf(stderr, "%ld cases: %ld failures\n", tally.cases, tally.failures);
  }
  std::printf("%ld cases of %s: %ld failures\n", tally.cases, argv[1], tally.failures);
  for (const auto& [kind, times] : tally.counts) std::printf("  %s: %ld\n", kind.c_str(), times);
  return tally.failures == 0 && tally.cases > 0 ? 0 : 1;
}

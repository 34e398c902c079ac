// SPDX-License-Identifier: Apache-2.0
// One implementation with all divergences of XLA that were found by attaching its code: a default
// run prints each as a cause of its own, whatever the seed.
//
// The environment variable TILEPROOF_SEEDS says how many seeds are run (1), TILEPROOF_FIRST_SEED
// the first of them (1).
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conform/judge/judge.h"
#include "conform/oracle/oracle.h"
#include "conform/report/report.h"
#include "conform/run/conform.h"
#include "conform/zoo/zoo.h"
#include "corpus/paths.h"
#include "gtest/gtest.h"

namespace tileproof::zoo {
namespace {

using conform::Json;

// The entries of a divergence, in the order of XLA's code.
struct Divergence {
  const char* smallest;
  std::vector<const char*> entries;
};

const Divergence kDivergences[] = {
    {"d0 * 4 + s0 in [0, 8], s0 in [1, 3]", {"FACT-C3"}},
    {"d0 in [0, 1], d0 floordiv -2 in [0, 0]", {"FACT-C5"}},
    {"d0 in [0, 0], -d0 in [-9223372036854775808, 0]", {"FACT-C4"}},
    {"d0 mod 2 in [1, 1], d0 mod 3 in [1, 1], d0 mod 6 in [0, 0]", {"OPEN-08"}},
    {"d0 mod 2 in [2, 2], d0 mod 3 in [2, 2]", {"OPEN-07"}},
    {"d0 in [-1, 0], d0 mod 2 in [1, 1]", {"OPEN-05", "OPEN-06"}},
    {"(d0 mod -2) mod 2", {"FACT-MOD-RANGE"}},
    {"() -> () then (){rt0} -> (), domain: rt0 in [0, 0], 1 in [0, 0]", {"FACT-COMPOSE-EMPTY"}},
    {"()[elem, elem] -> ..", {"FACT-COMPOSE-NAME"}},
    {"f32[7,9]{1,0:T(11)(9)}", {"OPEN-20"}},
    {"f32[2]{0:T(2,1)}", {"OPEN-17"}},
    {"f32[1,2]{1,0:T(*,1)}", {"OPEN-18"}},
};

// The number in an environment variable; 1 if it is not set.
uint64_t from_environment(const char* name) {
  const char* const text = std::getenv(name);
  uint64_t number = 1;
  return text != nullptr && absl::SimpleAtoi(text, &number) ? number : 1;
}

// Returns whether an implementation with this divergence alone answers the request wrongly.
bool is_wrong_about(const Divergence& divergence, const Json& request) {
  std::vector<const Entry*> entries;
  for (const char* id : divergence.entries) entries.push_back(entry_named(id));
  return fails(verdict_on(entries, request));
}

// The report of a default run.
conform::Report report_of(uint64_t seed) {
  conform::ConformOptions options;
  options.command = {build_path("bin/tileproof"), "zoo"};
  for (const Divergence& divergence : kDivergences) {
    for (const char* id : divergence.entries) {
      options.command.insert(options.command.end(), {"--respond", id});
    }
  }
  options.seed = seed;
  options.steer = true;
  options.timeout = conform::Milliseconds(20'000);  // the machine may be busy
  absl::StatusOr<conform::Report> report = conform::conform(options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *std::move(report) : conform::Report();
}

TEST(Divergences, EachOfXlaIsPrintedAsItsOwnCause) {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 256 << 20);  // as in the program: Z3 asks for the same memory again
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
#endif
  const uint64_t first = from_environment("TILEPROOF_FIRST_SEED");
  const uint64_t last = first + from_environment("TILEPROOF_SEEDS") - 1;
  for (uint64_t seed = first; seed <= last; ++seed) {
    const conform::Report report = report_of(seed);
    const std::vector<conform::Cluster> clusters = clusters_of(report);
    std::string causes;
    std::vector<int> shown(std::size(kDivergences), 0);
    for (const conform::Cluster& cluster : clusters) {
      const conform::Failure& failure = report.failures.at(cluster.example);
      if (!failure.smallest) continue;
      absl::StrAppend(&causes, to_text(failure.smallest->request), "\n");
      std::vector<size_t> of;
      for (size_t i = 0; i < shown.size(); ++i) {
        if (is_wrong_about(kDivergences[i], failure.smallest->request)) of.push_back(i);
      }
      if (of.size() == 1) ++shown[of[0]];
    }
    std::cout << "seed " << seed << ": " << report.failures.size() << " failures, "
              << clusters.size() << " causes" << std::endl;
    for (size_t i = 0; i < shown.size(); ++i) {
      EXPECT_GT(shown[i], 0) << "seed " << seed << ": " << kDivergences[i].smallest
                             << " is not among\n"
                             << causes;
    }
  }
}

}  // namespace
}  // namespace tileproof::zoo
